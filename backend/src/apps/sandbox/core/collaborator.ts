import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerShape } from './answer-shape.ts';

/** A call to a collaborator, as its handler sees it. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body, or undefined if there is no body or it is not JSON. */
  readonly body: unknown;
  /** The sandbox's address as the caller used it, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
}

/** A collaborator's response. It is blank without a body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** Returns a response with status 200. */
export const okAnswer = (body: unknown): Answer => ({ status: 200, body });

/** Returns the fields of a JSON object, or none for anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // A JSON object has text as keys and any JSON as values.
      (value as Record<string, unknown>)
    : {};

/** Returns the trimmed text of a text or a number, or undefined if it is empty. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  return text === '' ? undefined : text;
};

/** An operation of a collaborator, under the name that faults and journal use. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** The Express path below the collaborator's mount path. */
  readonly path: string;
  /** Distinguishes operations of the same path. Without it, only the path decides. */
  isFor?(call: Pick<Call, 'headers'>): boolean;
  handle(call: Call): Answer;
  /** Returns the key that makes a repeat harmless, for the journal. */
  idempotencyKey?(call: Call): string | undefined;
  /**
   * Implements the fault `wrong_amount` on a response, and on each item of a list. Without it the
   * response stays the same.
   */
  misstate?(body: Readonly<Record<string, unknown>>): unknown;
  /** Names the fields that the faults `sparse`, `odd_state` and `odd_row` change. */
  readonly shape?: AnswerShape;
  /** Returns true if the answer is about a customer with as few fields as possible. */
  isSparse?(call: Call): boolean;
  /** Unrelated rows that its list always contains. */
  readonly oddRows?: readonly Readonly<Record<string, unknown>>[];
}

/** Stores a collaborator's records, which outlive the process if SANDBOX_STATE_DIR is set. */
export interface CollaboratorStore {
  save(): unknown;
  /** Restores the records that an earlier process saved. */
  load(saved: unknown): void;
  clear(): void;
}

/** Simulates an outside party. To add a party, add a row to the registry. */
export interface Collaborator {
  readonly name: string;
  readonly mountPath: string;
  readonly operations: readonly Operation[];
  /**
   * Returns a refusal of a caller without the right credential, or undefined for a caller with it.
   */
  refuseUnauthenticated(call: Call): Answer | undefined;
  /** Returns the body of an error in the collaborator's own form, or undefined for a blank body. */
  errorBody(status: number, message: string): unknown;
  readonly store: CollaboratorStore;
}

/** Lists the names of the operations, each once. */
export const operationNames = (collaborator: Collaborator): readonly string[] => [
  ...new Set(collaborator.operations.map((operation) => operation.name)),
];
