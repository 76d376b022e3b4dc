import type { IncomingHttpHeaders } from 'node:http';

/** One call to a collaborator, as its handler sees it. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body; undefined when there was none or it is no JSON. */
  readonly body: unknown;
  /** Where the caller reached the sandbox, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
}

/** What a collaborator answers; without a body the answer is blank. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** An answer with status 200. */
export const okAnswer = (body: unknown): Answer => ({ status: 200, body });

/** The fields of a JSON object; none for anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // A JSON object's keys are text and its values are whatever JSON holds.
      (value as Record<string, unknown>)
    : {};

/** A field's text, when it is text or a number; trimmed, and undefined when nothing is left. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  return text === '' ? undefined : text;
};

/** One operation of a collaborator, under the name that faults and journal use. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Express path below the collaborator's mount path. */
  readonly path: string;
  handle(call: Call): Answer;
  /** The key by which the caller makes a repeat harmless, for the journal. */
  idempotencyKey?(call: Call): string | undefined;
  /** The fault `wrong_amount`: the same answer with another figure. Without it nothing changes. */
  misstate?(body: Readonly<Record<string, unknown>>): unknown;
}

/** Holds a collaborator's records, which outlive the process where SANDBOX_STATE_DIR is set. */
export interface CollaboratorStore {
  save(): unknown;
  /** Takes what `save` gave, from an earlier process. */
  load(saved: unknown): void;
  clear(): void;
}

/** An outside party that the sandbox stands in for. A new one is one more row of the registry. */
export interface Collaborator {
  readonly name: string;
  readonly mountPath: string;
  readonly operations: readonly Operation[];
  /** The refusal of a caller without the right credential, else undefined. */
  refuseStranger(call: Call): Answer | undefined;
  /** The body of an error in this party's own form; undefined is a blank one. */
  errorBody(status: number, message: string): unknown;
  readonly store: CollaboratorStore;
}

/** Names that a control may mention. */
export const operationNames = (collaborator: Collaborator): readonly string[] => [
  ...new Set(collaborator.operations.map((operation) => operation.name)),
];
