import type { Db } from '../../platform/db/index.ts';
import type { ProviderPayout } from '../../adapters/payout-provider/port.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import {
  heldElsewhere,
  makeCall,
  readFound,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
  type Undone,
} from '../../platform/collaborator-call/index.ts';
import { NOT_SENT } from '../../platform/http-client/index.ts';
import { describeOutcome, refused, type Outcome } from '../../platform/outcome/outcome.ts';
import { lockPayoutAccount } from '../banking/index.ts';
import {
  findAttempt,
  insertAttempt,
  acquireAttempt,
  findNewestAttempt,
  markAttemptQueried,
  releaseUnknownAttempt,
  releaseUnsentAttempt,
} from './payout-attempts.store.ts';
import { lockPayout } from './payouts.store.ts';
import { transitionPayout, isOpenAttempt } from './payouts.states.ts';
import type { Payout, PayoutAttempt, PayoutsDeps } from './payouts.types.ts';
import { recordAttemptRefusal, recordAttemptReport } from './record-payout-attempt.ts';

/** Builds the provider's idempotency key (contract: payouts > Payout attempts). */
const idempotencyKeyOf = (payoutId: string, attemptNo: number): string =>
  `${payoutId.replaceAll('-', '')}-${attemptNo}`;

/**
 * Returns the reason why a payout may not be sent, or undefined if it may be sent. Locks the payout's
 * bank account until the transaction ends.
 */
const findObstacle = async (
  { provider }: Pick<PayoutsDeps, 'provider'>,
  tx: Db,
  payout: Payout,
): Promise<string | undefined> => {
  const { minimumPaise, maximumImpsPaise } = provider.rules;
  const account = await lockPayoutAccount(tx, payout.bankAccountId);
  if (account?.isUsable !== true || account.userId !== payout.userId) {
    return 'The bank account is not verified.';
  }
  if (payout.amountPaise < minimumPaise) return 'The amount is too small for a bank transfer.';
  if (payout.amountPaise > maximumImpsPaise) return 'The amount is too large for one transfer.';
  return undefined;
};

/**
 * Starts a new attempt of a PENDING payout, in the transaction that has locked the payout. The payout
 * becomes PROCESSING. The row of the attempt is the intent, and it is committed before the request is
 * sent. If the payout may not be sent, the payout fails with the reason and the function returns
 * undefined.
 */
export const startAttempt = async (
  deps: Pick<PayoutsDeps, 'clock' | 'logger' | 'notify' | 'provider' | 'random'>,
  tx: Db,
  payout: Payout,
  actor: string,
): Promise<PayoutAttempt | undefined> => {
  const { clock, provider, random } = deps;
  const obstacle = await findObstacle(deps, tx, payout);
  const now = clock.now();
  const id = random.uuid();
  const attemptNo = payout.attempt + 1;
  await insertAttempt(tx, {
    id,
    payoutId: payout.id,
    attemptNo,
    bankAccountId: payout.bankAccountId,
    idempotencyKey: idempotencyKeyOf(payout.id, attemptNo),
    provider: provider.code,
    startedAt: now,
  });
  await transitionPayout(deps, tx, payout, {
    to: 'PROCESSING',
    actor,
    cause: 'attempt.started',
    now,
    changes: { attempt: attemptNo, provider: provider.code, dispatchedAt: now },
  });
  if (obstacle === undefined) return findAttempt(tx, id);
  await recordAttemptRefusal(deps, tx, id, { reason: obstacle });
  return undefined;
};

/**
 * The longest time in ms that a request may take to arrive. After this time an earlier request can no
 * longer be accepted, so a refusal of a resend means that the provider accepted no request.
 */
const maxTransitMs = 5 * 60_000;
/** A key is not used in this last part of its life, in ms, because the provider may forget it. */
const keyMarginMs = 60 * 60_000;

/** One worker's turn at an attempt, which the worker sends or queries. */
interface Dispatch {
  readonly payout: Payout;
  readonly attempt: PayoutAttempt;
  readonly holderId: string;
  /** The time of the last send before this turn, or null if the attempt was never sent. */
  readonly sentAt: Date | null;
}

/**
 * Returns the time of an attempt's last send, or null. A worker of an older version stores no
 * `sentAt`. Such a worker stores the status UNKNOWN and the time of its last call.
 */
const lastSendOf = ({ status, sentAt, lastAskedAt }: PayoutAttempt): Date | null =>
  sentAt ?? (status === 'UNKNOWN' ? lastAskedAt : null);

/**
 * Locks a payout, starts its attempt if the payout is PENDING, and acquires the open attempt. The
 * transaction is committed before any call to the provider.
 */
const claimPayout = (deps: PayoutsDeps, payoutId: string): Promise<Claim<Dispatch>> =>
  deps.inTransaction(async (tx): Promise<Claim<Dispatch>> => {
    const payout = await lockPayout(tx, payoutId);
    if (payout === undefined) return skip('the payout does not exist');
    const isStarting = payout.status === 'PENDING';
    if (isStarting && payout.approvalRequired && payout.approvedAt === null) {
      return skip('the payout waits for approval');
    }
    if (!isStarting && payout.status !== 'PROCESSING')
      return skip(`the payout is ${payout.status}`);
    const attempt = isStarting
      ? await startAttempt(deps, tx, payout, 'service')
      : await findNewestAttempt(tx, payoutId);
    if (attempt === undefined || !isOpenAttempt(attempt.status)) return skip('no attempt is open');
    const { id, providerPayoutId } = attempt;
    const [holderId, now] = [deps.random.uuid(), deps.clock.now()];
    const call = { payout, attempt, holderId, sentAt: lastSendOf(attempt) };
    if (providerPayoutId !== null) {
      await markAttemptQueried(tx, id, now);
      return { kind: 'QUERY', call };
    }
    return (await acquireAttempt(tx, id, { holderId, now }))
      ? { kind: 'SEND', call, wasSent: call.sentAt !== null }
      : heldElsewhere;
  });

const sendPayout = async (
  { banking, provider }: PayoutsDeps,
  { payout, attempt }: Dispatch,
): Promise<Outcome<ProviderPayout>> => {
  const fundAccount = await banking.ensureFundAccount(attempt.bankAccountId);
  // Only the fund account was requested. The payout itself was not sent.
  if (fundAccount.kind === 'unknown') return refused(NOT_SENT, describeOutcome(fundAccount));
  if (fundAccount.kind === 'refused') return fundAccount;
  const { idempotencyKey } = attempt;
  return provider.createPayout({
    idempotencyKey,
    referenceId: idempotencyKey,
    fundAccountId: fundAccount.value.fundAccountId,
    amountPaise: payout.amountPaise,
    mode: 'IMPS',
    narration: 'Gold sale',
  });
};

/** Decides whether to send an attempt of which the provider has no record. */
const decideResend = (
  { clock, provider }: PayoutsDeps,
  { attempt, sentAt }: Dispatch,
): 'SEND' | Undone => {
  const ageMs = msBetween(attempt.startedAt, clock.now());
  const keyLifeMs = provider.rules.idempotencyKeyLifeMs;
  if (sentAt === null || ageMs <= keyLifeMs - keyMarginMs) return 'SEND';
  if (ageMs <= keyLifeMs) return { kind: 'UNKNOWN', reason: 'the idempotency key expires soon' };
  // The provider may have forgotten the key, so a resend could pay twice. An earlier request would
  // have arrived long ago.
  const reason = 'The payout never reached the payout provider.';
  return { kind: 'REFUSED', code: 'NEVER_ARRIVED', reason };
};

const causeOf = ({ attempt }: Dispatch, by: 'ANSWER' | 'QUERY'): string => {
  if (by === 'ANSWER') return 'payout.created';
  return attempt.providerPayoutId === null ? 'payout.found' : 'payout.asked';
};

const recordDispatch = async (
  deps: PayoutsDeps,
  dispatch: Dispatch,
  result: CallResult<ProviderPayout>,
): Promise<void> => {
  const { db, inTransaction } = deps;
  const { attempt, holderId, sentAt } = dispatch;
  const { id, providerPayoutId } = attempt;
  if (result.kind === 'DONE') {
    const input = { report: result.value, cause: causeOf(dispatch, result.by) };
    await inTransaction((tx) => recordAttemptReport(deps, tx, id, input));
    return;
  }
  const { kind, reason } = result;
  if (kind === 'REFUSED') {
    return inTransaction((tx) => recordAttemptRefusal(deps, tx, id, { reason, holderId }));
  }
  // The provider has the payout, but does not report its state now.
  if (providerPayoutId !== null) return;
  if (result.answer?.kind === 'unknown') await releaseUnknownAttempt(db, id, holderId);
  else await releaseUnsentAttempt(db, id, { holderId, sentAt });
  // No request reached the provider, so the queue soon tries again.
  if (kind === 'INTENDED') throw new Error(`the payout provider is not available: ${reason}`);
};

/**
 * Declares how a payout is sent (contract: payouts > Payout attempts). Queries an attempt that was
 * sent before by its reference. Sends the identical request again, with the same key, only if the
 * provider does not have the attempt.
 */
const createPayoutCall = (deps: PayoutsDeps): CallProtocol<string, Dispatch, ProviderPayout> => ({
  flow: 'payout',
  fieldsOf: (payoutId) => ({ payoutId }),
  claim: (payoutId) => claimPayout(deps, payoutId),
  send: (dispatch) => sendPayout(deps, dispatch),
  hasArrived: ({ sentAt }) => sentAt === null || msBetween(sentAt, deps.clock.now()) > maxTransitMs,
  query: async ({ attempt: { providerPayoutId, idempotencyKey } }) =>
    readFound(
      providerPayoutId === null
        ? await deps.provider.findPayoutByReference(idempotencyKey)
        : await deps.provider.getPayout(providerPayoutId),
    ),
  queriesAfter: 'UNKNOWN',
  decide: (dispatch) => decideResend(deps, dispatch),
  record: (dispatch, result) => recordDispatch(deps, dispatch, result),
});

/**
 * Sends a payout, or queries the outcome of an earlier send. It may run at any time, any number of
 * times, in any number of workers, and it may be killed at any point.
 */
export const dispatchPayout = async (deps: PayoutsDeps, payoutId: string): Promise<void> => {
  await makeCall(deps, createPayoutCall(deps), payoutId);
};
