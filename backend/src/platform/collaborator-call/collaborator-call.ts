import type { CallFlow } from '../observability/index.ts';
import type { Outcome } from '../outcome/outcome.ts';

/** Nothing is to be done with a call, or not yet, or by another worker. */
export interface Skipped {
  readonly kind: 'SKIP';
  readonly why: string;
  /** True where another worker has the call now: it is worth another look in a moment. */
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
  /** The collaborator has it, or it may not be sent any more: it is only queried. */
  | { readonly kind: 'QUERY'; readonly call: Call }
  /**
   * The intent is written and its lease held. `wasSent` is true where an earlier request may have
   * reached the collaborator, and was not answered.
   */
  | { readonly kind: 'SEND'; readonly call: Call; readonly wasSent: boolean };

/** A call that is not done. */
export type Undone =
  /** The collaborator certainly has nothing of it. The next try is the first one again. */
  | { readonly kind: 'INTENDED'; readonly reason: string }
  /** It certainly did not happen, and never will. */
  | { readonly kind: 'REFUSED'; readonly code: string; readonly reason: string }
  /** The outcome is not known yet. The next turn queries before it sends. */
  | { readonly kind: 'UNKNOWN'; readonly reason: string };

/** The collaborator's own record of a call, as a query found it. */
export type Found<Value> =
  | { readonly kind: 'DONE'; readonly value: Value }
  /** It has none so far. */
  | { readonly kind: 'NONE'; readonly reason: string }
  /** It did not do it, and never will. */
  | Extract<Undone, { kind: 'REFUSED' }>
  /** It gave no answer, or none that is final. */
  | Extract<Undone, { kind: 'UNKNOWN' }>;

/** The result of one turn of a worker at a call, as `record` writes it. */
export type CallResult<Value> = (
  | (Undone & {
      /** The collaborator's record as this turn found it last. Absent where it was not queried. */
      readonly found?: Exclude<Found<Value>, { kind: 'DONE' }>;
    })
  /** The collaborator did it, by the answer to this turn's request or by its own record. */
  | { readonly kind: 'DONE'; readonly by: 'ANSWER' | 'QUERY'; readonly value: Value }
) & {
  /** The answer to this turn's request. Absent where none was sent. */
  readonly answer?: Outcome<Value>;
};

/**
 * Declares how one flow calls its collaborator, for `makeCall`. Each member that reads or writes
 * rows is the flow's own: the protocol knows no table.
 */
export interface CallProtocol<Key, Call, Value, Recorded = void> {
  /** The label of its metrics, and a field of its log lines. */
  readonly flow: CallFlow;
  /** Returns the ids by which log lines name a call. Never a name, a number or a secret. */
  fieldsOf(key: Key): object;
  /** Reads the row under its lock, writes the intent and takes the lease. It commits. */
  claim(key: Key): Promise<Claim<Call>>;
  /**
   * Returns true where no earlier request can be on its way to the collaborator any more. It is
   * evaluated before the query, since what arrives after the query's answer is not in that answer.
   */
  hasArrived(call: Call): boolean;
  /** Returns the collaborator's record of the call. Absent where a repeat needs no query. */
  query?(call: Call): Promise<Found<Value>>;
  /**
   * Decides what follows where the collaborator has no record of the call, or it was never sent.
   * A call that is only queried may not answer SEND.
   */
  decide(call: Call, hasArrived: boolean): 'SEND' | Undone;
  /**
   * Begins the lease again after a query, before the request. Returns false where it was lost.
   * Absent where the lease outlasts both, or is begun again by `send`.
   */
  renew?(call: Call): Promise<boolean>;
  /** Sends the request. Returns undefined where the lease was lost before it was sent. */
  send(call: Call): Promise<Outcome<Value> | undefined>;
  /**
   * The answers that are followed by a query at once. With EVERY the collaborator's record alone
   * decides, whatever it answered.
   */
  readonly queriesAfter?: 'UNKNOWN' | 'EVERY';
  /** Writes the result under the row's lock, with all its consequences, and ends the lease. */
  record(call: Call, result: CallResult<Value>): Promise<Recorded>;
  /** Ends the lease whatever happened, where another worker need not wait until it lapses. */
  release?(call: Call): Promise<unknown>;
}
