import type { CallFlow } from '../observability/index.ts';
import type { Outcome } from '../outcome/outcome.ts';

/** This worker does nothing with the call now. */
export interface Skipped {
  readonly kind: 'SKIP';
  readonly why: string;
  /** True if another worker has the call now, so that another try in a moment may succeed. */
  readonly isHeld?: true;
}

export const skip = (why: string): Skipped => ({ kind: 'SKIP', why });

/** Another worker has the call now. */
export const heldElsewhere: Skipped = {
  kind: 'SKIP',
  why: 'another worker has it',
  isHeld: true,
};

/** The next step that this worker may take with a call. It is committed before any request. */
export type Claim<Call> =
  | Skipped
  /** The collaborator has the call, or the call may no longer be sent. It is only queried. */
  | { readonly kind: 'QUERY'; readonly call: Call }
  /**
   * The intent is written and its lease held. `wasSent` is true if an earlier request may have
   * reached the collaborator and was not answered.
   */
  | { readonly kind: 'SEND'; readonly call: Call; readonly wasSent: boolean };

/** A call that is not done. */
export type Undone =
  /** The collaborator certainly has no record of the call. The next try counts as the first. */
  | { readonly kind: 'INTENDED'; readonly reason: string }
  /** The call certainly did not happen, and never will. */
  | { readonly kind: 'REFUSED'; readonly code: string; readonly reason: string }
  /** The outcome is not known yet. The next turn queries before it sends. */
  | { readonly kind: 'UNKNOWN'; readonly reason: string };

/** The collaborator's own record of a call, as a query found it. */
export type Found<Value> =
  | { readonly kind: 'DONE'; readonly value: Value }
  /** The collaborator has no record so far. */
  | { readonly kind: 'NONE'; readonly reason: string }
  /** The collaborator did not make the call, and never will. */
  | Extract<Undone, { kind: 'REFUSED' }>
  /** The collaborator gave no answer, or no final answer. */
  | Extract<Undone, { kind: 'UNKNOWN' }>;

/** The result of a worker's turn at a call, which `record` writes. */
export type CallResult<Value> = (
  | (Undone & {
      /** The collaborator's record, as this turn last found it. Absent if it was not queried. */
      readonly found?: Exclude<Found<Value>, { kind: 'DONE' }>;
    })
  /**
   * The collaborator made the call, as its answer to this turn's request or its own record says.
   */
  | { readonly kind: 'DONE'; readonly by: 'ANSWER' | 'QUERY'; readonly value: Value }
) & {
  /** The answer to this turn's request. Absent if no request was sent. */
  readonly answer?: Outcome<Value>;
};

/**
 * Declares how one flow calls its collaborator, for `makeCall`. The protocol knows no table, so
 * each flow reads and writes its own rows.
 */
export interface CallProtocol<Key, Call, Value, Recorded = void> {
  /** The label of the flow in metrics and log lines. */
  readonly flow: CallFlow;
  /**
   * Returns the ids by which log lines name a call. They must not include names, phone or account
   * numbers, or secrets.
   */
  fieldsOf(key: Key): object;
  /** Reads the row under its lock, writes the intent, takes the lease and commits. */
  claim(key: Key): Promise<Claim<Call>>;
  /**
   * Returns true if no earlier request can be on its way to the collaborator any more. It is
   * evaluated before the query, because a request may arrive after the query was answered.
   */
  hasArrived(call: Call): boolean;
  /** Returns the collaborator's record of the call. It is absent if a repeat needs no query. */
  query?(call: Call): Promise<Found<Value>>;
  /**
   * Decides the next step if the collaborator has no record of the call, or if the call was never
   * sent. A call that can only be queried must not return SEND.
   */
  decide(call: Call, hasArrived: boolean): 'SEND' | Undone;
  /**
   * Renews the lease after a query, before the request. Returns false if the lease was lost. It is
   * absent if the lease outlasts both, or if `send` renews it.
   */
  renew?(call: Call): Promise<boolean>;
  /** Sends the request. Returns undefined if the lease was lost before it was sent. */
  send(call: Call): Promise<Outcome<Value> | undefined>;
  /**
   * The answers after which the collaborator is queried at once. With EVERY only the collaborator's
   * record decides.
   */
  readonly queriesAfter?: 'UNKNOWN' | 'EVERY';
  /** Writes the result under the row's lock, with all its consequences, and ends the lease. */
  record(call: Call, result: CallResult<Value>): Promise<Recorded>;
  /**
   * Ends the lease after every result. It is present if another worker need not wait until the
   * lease lapses.
   */
  release?(call: Call): Promise<unknown>;
}
