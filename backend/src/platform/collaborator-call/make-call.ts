import { invariant } from '../invariant/invariant.ts';
import { isUnavailable } from '../http-client/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import { describeOutcome, type Outcome } from '../outcome/outcome.ts';
import {
  heldElsewhere,
  type CallProtocol,
  type CallResult,
  type Claim,
  type Found,
  type Skipped,
} from './collaborator-call.ts';

export interface CallDeps {
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'countCall'>;
}

/** The result of a turn, with the claimed call and the value that `record` returned. */
type TurnResult<Call, Value, Recorded> =
  | Skipped
  | (CallResult<Value> & { readonly call: Call; readonly recorded: Recorded });

/** A turn that may continue with a request. */
interface Turn<Call> {
  readonly call: Call;
  /** True if an earlier request may have reached the collaborator. */
  readonly wasSent: boolean;
}

/**
 * Reads the answer to a query of the collaborator. It is `done(undefined)` if the collaborator has
 * no record.
 */
export const readFound = <Value>(outcome: Outcome<Value | undefined>): Found<Value> => {
  if (outcome.kind !== 'done') return { kind: 'UNKNOWN', reason: describeOutcome(outcome) };
  return outcome.value === undefined
    ? { kind: 'NONE', reason: 'it has no record of it so far' }
    : { kind: 'DONE', value: outcome.value };
};

/** Reads a record that decides the result without a request. */
const readRecord = <Value>(found: Exclude<Found<Value>, { kind: 'NONE' }>): CallResult<Value> =>
  found.kind === 'DONE' ? { ...found, by: 'QUERY' } : { ...found, found };

/**
 * Reads an answer without the collaborator's record. A request that was refused unread says nothing
 * about an earlier request. Any other refusal says nothing about an earlier request that may still
 * arrive.
 */
const readAnswer = <Value>(
  answer: Outcome<Value>,
  { wasSent, hasArrived }: { readonly wasSent: boolean; readonly hasArrived: boolean },
): CallResult<Value> => {
  if (answer.kind === 'done') return { kind: 'DONE', by: 'ANSWER', value: answer.value };
  if (answer.kind === 'unknown') return { kind: 'UNKNOWN', reason: answer.reason };
  const { code, message } = answer;
  if (isUnavailable(answer)) {
    return { kind: wasSent ? 'UNKNOWN' : 'INTENDED', reason: `${code}: ${message}` };
  }
  return hasArrived
    ? { kind: 'REFUSED', code, reason: message }
    : { kind: 'UNKNOWN', reason: `${code}, but an earlier request may arrive` };
};

/**
 * Reads an answer if only the collaborator's record decides. A refusal of the only request so far
 * leaves no record, so the next try counts as the first.
 */
const readByRecord = <Value>(
  answer: Outcome<Value>,
  wasSent: boolean,
  found: Exclude<Found<Value>, { kind: 'DONE' }>,
): CallResult<Value> => {
  if (found.kind === 'REFUSED') return found;
  const reason = `answered ${describeOutcome(answer)}, found ${found.reason}`;
  return { kind: answer.kind === 'refused' && !wasSent ? 'INTENDED' : 'UNKNOWN', reason };
};

const sendAndRead = async <Key, Call, Value, Recorded>(
  protocol: CallProtocol<Key, Call, Value, Recorded>,
  { call, wasSent }: Turn<Call>,
): Promise<Skipped | CallResult<Value>> => {
  const answer = await protocol.send(call);
  if (answer === undefined) return heldElsewhere;
  const { queriesAfter } = protocol;
  const isQueried =
    queriesAfter === 'EVERY' || (queriesAfter === 'UNKNOWN' && answer.kind === 'unknown');
  const found = isQueried ? await protocol.query?.(call) : undefined;
  if (found?.kind === 'DONE') return { ...readRecord(found), answer };
  const known = { answer, ...(found !== undefined && { found }) };
  if (queriesAfter === 'EVERY' && found !== undefined) {
    return { ...readByRecord(answer, wasSent, found), ...known };
  }
  const hasArrived = answer.kind === 'done' || !wasSent || protocol.hasArrived(call);
  return { ...readAnswer(answer, { wasSent, hasArrived }), ...known };
};

/** Queries a call that may have arrived, then sends it if that is allowed. */
const takeTurn = async <Key, Call, Value, Recorded>(
  protocol: CallProtocol<Key, Call, Value, Recorded>,
  claim: Exclude<Claim<Call>, Skipped>,
): Promise<Skipped | CallResult<Value>> => {
  const { call } = claim;
  const wasSent = claim.kind === 'QUERY' || claim.wasSent;
  const hasArrived = !wasSent || protocol.hasArrived(call);
  const found = wasSent ? await protocol.query?.(call) : undefined;
  if (found !== undefined && found.kind !== 'NONE') return readRecord(found);
  const next = protocol.decide(call, hasArrived);
  if (next !== 'SEND') return { ...next, ...(found !== undefined && { found }) };
  invariant(claim.kind === 'SEND', `a ${protocol.flow} that is only queried is not sent`);
  const isOurs = found === undefined || (await protocol.renew?.(call)) !== false;
  return isOurs ? sendAndRead(protocol, { call, wasSent }) : heldElsewhere;
};

/**
 * Makes a call to a collaborator, or finds out its outcome (contract: collaborators > Outcomes). It
 * may run at any time, any number of times, in any number of workers, and be killed at any point:
 *
 * 1. The claim commits the intent and takes the lease.
 * 2. If an earlier request may have arrived, the collaborator is queried first.
 * 3. The request is sent only if the flow decides that it may be.
 * 4. The result is recorded under the row's lock. The flow's sweep resolves calls that stay
 *    undecided.
 */
export const makeCall = async <Key, Call, Value, Recorded>(
  { logger, metrics }: CallDeps,
  protocol: CallProtocol<Key, Call, Value, Recorded>,
  key: Key,
): Promise<TurnResult<Call, Value, Recorded>> => {
  const { flow } = protocol;
  const observe = (result: Skipped | CallResult<Value>): void => {
    metrics.countCall(flow, result.kind);
    const fields = { flow, ...protocol.fieldsOf(key), outcome: result.kind };
    if (result.kind === 'SKIP') logger.debug({ ...fields, why: result.why }, 'a call was left');
    else if (result.kind === 'DONE') logger.info({ ...fields, by: result.by }, 'a call is done');
    else logger.warn({ ...fields, reason: result.reason }, 'a call did not succeed');
  };
  const claim = await protocol.claim(key);
  if (claim.kind === 'SKIP') {
    observe(claim);
    return claim;
  }
  const { call } = claim;
  try {
    const result = await takeTurn(protocol, claim);
    observe(result);
    if (result.kind === 'SKIP') return result;
    const recorded = await protocol.record(call, result);
    return { ...result, call, recorded };
  } finally {
    await protocol.release?.(call);
  }
};
