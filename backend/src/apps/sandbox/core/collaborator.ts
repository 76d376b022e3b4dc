import type { Answer, Call } from './call.ts';

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

/** CollaboratorStore that outlive the process where SANDBOX_STATE_DIR is set. */
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
