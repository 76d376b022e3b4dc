import type { CallFlow } from '../observability/index.ts';
import type { Outcome } from '../outcome/outcome.ts';

/** Nothing is to be done with a call, or not yet, or by another worker. */
export interface Skipped {
  readonly kind: 'SKIP';
  readonly why: string;
}

export const skip = (why: string): Skipped => ({ kind: 'SKIP', why });

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
  /** Nobody can say yet. The next turn queries before it sends. */
  | { readonly kind: 'UNKNOWN'; readonly reason: string };

/** The result of one turn of a worker at a call, as `record` writes it. */
export type CallResult<Value> =
  /** The collaborator did it, by the answer to this turn's request or by its own record. */
  | { readonly kind: 'DONE'; readonly by: 'ANSWER' | 'QUERY'; readonly value: Value }
  /** `answer` is what this turn's request was answered. Absent where none was sent. */
  | (Undone & { readonly answer?: Outcome<Value> });

/**
 * Declares how one flow calls its collaborator, for `makeCall`. Each member that reads or writes
 * rows is the flow's own: the protocol knows no table.
 */
export interface CallProtocol<Key, Call, Value> {
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
  /** Returns the collaborator's record of the call: `done(undefined)` where it has none so far. */
  query(call: Call): Promise<Outcome<Value | undefined>>;
  /**
   * Decides what follows where the collaborator has no record of the call, or it was never sent.
   * A call that is only queried may not answer SEND.
   */
  decide(call: Call, hasArrived: boolean): 'SEND' | Undone;
  /** Sends the request. Returns undefined where the lease was lost before it was sent. */
  send(call: Call): Promise<Outcome<Value> | undefined>;
  /** True where an unknown answer is followed by a query at once. */
  readonly queriesUnknown?: boolean;
  /** Writes the result under the row's lock, with all its consequences, and ends the lease. */
  record(call: Call, result: CallResult<Value>): Promise<void>;
  /** Ends the lease whatever happened, where another worker need not wait until it lapses. */
  release?(call: Call): Promise<unknown>;
}
