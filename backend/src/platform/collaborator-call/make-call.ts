import { invariant } from '../invariant/invariant.ts';
import { isUnavailable } from '../http-client/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import { describeOutcome, type Outcome } from '../outcome/outcome.ts';
import {
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
  type Skipped,
} from './collaborator-call.ts';

export interface CallDeps {
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'countCall'>;
}

/** The result of a turn, with the call as it was claimed. */
type MadeCall<Call, Value> = Skipped | (CallResult<Value> & { readonly call: Call });

/** Reads a record that the collaborator has, or undefined where it has none so far. */
const readFound = <Value>(found: Outcome<Value | undefined>): CallResult<Value> | undefined => {
  if (found.kind !== 'done') return { kind: 'UNKNOWN', reason: describeOutcome(found) };
  return found.value === undefined ? undefined : { kind: 'DONE', by: 'QUERY', value: found.value };
};

/**
 * Reads an answer that is not done. A request that was refused unread says nothing about an earlier
 * one, and neither does a refusal while that may still arrive.
 */
const readUndone = <Value>(
  answer: Exclude<Outcome<Value>, { kind: 'done' }>,
  { wasSent, hasArrived }: { readonly wasSent: boolean; readonly hasArrived: boolean },
): CallResult<Value> => {
  if (answer.kind === 'unknown') return { kind: 'UNKNOWN', reason: answer.reason, answer };
  const { code, message } = answer;
  if (isUnavailable(answer)) {
    return { kind: wasSent ? 'UNKNOWN' : 'INTENDED', reason: `${code}: ${message}`, answer };
  }
  return hasArrived
    ? { kind: 'REFUSED', code, reason: message, answer }
    : { kind: 'UNKNOWN', reason: `${code}, but an earlier request may arrive`, answer };
};

const sendAndRead = async <Key, Call, Value>(
  protocol: CallProtocol<Key, Call, Value>,
  call: Call,
  wasSent: boolean,
): Promise<Skipped | CallResult<Value>> => {
  const answer = await protocol.send(call);
  if (answer === undefined) return skip('another worker has it');
  if (answer.kind === 'done') return { kind: 'DONE', by: 'ANSWER', value: answer.value };
  if (answer.kind === 'unknown' && protocol.queriesUnknown === true) {
    const found = readFound(await protocol.query(call));
    if (found?.kind === 'DONE') return found;
  }
  const hasArrived = !wasSent || protocol.hasArrived(call);
  return readUndone(answer, { wasSent, hasArrived });
};

/** Queries what may have arrived, then sends what may be sent. */
const takeTurn = async <Key, Call, Value>(
  protocol: CallProtocol<Key, Call, Value>,
  claim: Exclude<Claim<Call>, Skipped>,
): Promise<Skipped | CallResult<Value>> => {
  const { call } = claim;
  const wasSent = claim.kind === 'QUERY' || claim.wasSent;
  const hasArrived = !wasSent || protocol.hasArrived(call);
  if (wasSent) {
    const found = readFound(await protocol.query(call));
    if (found !== undefined) return found;
  }
  const next = protocol.decide(call, hasArrived);
  if (next !== 'SEND') return next;
  invariant(claim.kind === 'SEND', `a ${protocol.flow} that is only queried is not sent`);
  return sendAndRead(protocol, call, wasSent);
};

/**
 * Makes a call to a collaborator, or finds out what became of it (contract: collaborators >
 * Outcomes). It may run at any time, any number of times, in any number of workers, and be killed
 * at any point:
 *
 * 1. The claim commits the intent and takes the lease.
 * 2. Where an earlier request may have arrived, the collaborator is queried first.
 * 3. The request is sent only where the flow decides that it may be.
 * 4. The result is recorded under the row's lock. What stays undecided is left to the flow's sweep.
 */
export const makeCall = async <Key, Call, Value>(
  { logger, metrics }: CallDeps,
  protocol: CallProtocol<Key, Call, Value>,
  key: Key,
): Promise<MadeCall<Call, Value>> => {
  const { flow } = protocol;
  const observe = (result: Skipped | CallResult<Value>): void => {
    metrics.countCall(flow, result.kind);
    const fields = { flow, ...protocol.fieldsOf(key), outcome: result.kind };
    if (result.kind === 'SKIP') logger.debug({ ...fields, why: result.why }, 'a call was left');
    else if (result.kind === 'DONE') logger.info({ ...fields, by: result.by }, 'a call is done');
    else logger.warn({ ...fields, reason: result.reason }, 'a call is not done');
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
    await protocol.record(call, result);
    return { ...result, call };
  } finally {
    await protocol.release?.(call);
  }
};
