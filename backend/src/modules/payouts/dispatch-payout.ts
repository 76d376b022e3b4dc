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

/** Returns why a payout may not be sent, or undefined when it may. Keeps its account locked. */
const findObstacle = async (
  { provider }: Pick<PayoutsDeps, 'provider'>,
  tx: Db,
  payout: Payout,
): Promise<string | undefined> => {
  const { minimumPaise, maximumImpsPaise } = provider.rules;
  const standing = await lockPayoutAccount(tx, payout.bankAccountId);
  if (standing?.isUsable !== true || standing.userId !== payout.userId) {
    return 'The bank account is not verified.';
  }
  if (payout.amountPaise < minimumPaise) return 'The amount is too small for a bank transfer.';
  if (payout.amountPaise > maximumImpsPaise) return 'The amount is too large for one transfer.';
  return undefined;
};

/**
 * Starts a new attempt in the transaction that has locked the PENDING payout. The payout becomes
 * PROCESSING, and the intent is committed before the request is sent. If the attempt may not be
 * sent, fails the payout with the reason and returns undefined.
 */
export const startAttempt = async (
  deps: Pick<PayoutsDeps, 'clock' | 'logger' | 'notify' | 'provider' | 'random'>,
  tx: Db,
  payout: Payout,
  actor: string,
): Promise<PayoutAttempt | undefined> => {
  const { clock, provider, random } = deps;
  const obstacle = await findObstacle(deps, tx, payout);
  const at = clock.now();
  const id = random.uuid();
  const attemptNo = payout.attempt + 1;
  await insertAttempt(tx, {
    id,
    payoutId: payout.id,
    attemptNo,
    bankAccountId: payout.bankAccountId,
    idempotencyKey: idempotencyKeyOf(payout.id, attemptNo),
    provider: provider.code,
    startedAt: at,
  });
  await transitionPayout(deps, tx, payout, {
    to: 'PROCESSING',
    actor,
    cause: 'attempt.started',
    at,
    changes: { attempt: attemptNo, provider: provider.code, dispatchedAt: at },
  });
  if (obstacle === undefined) return findAttempt(tx, id);
  await recordAttemptRefusal(deps, tx, id, { reason: obstacle });
  return undefined;
};

/**
 * The longest time in ms that a request may take to arrive. If a resend is refused after it, the
 * provider accepted none of the requests.
 */
const longestFlightMs = 5 * 60_000;
/** The time in ms before the provider forgets a key in which the key is no longer used. */
const keyMarginMs = 60 * 60_000;

/** An attempt that a worker sends, or that the provider has already received. */
interface Dispatch {
  readonly payout: Payout;
  readonly attempt: PayoutAttempt;
  readonly holderId: string;
  /** The last earlier send without a response, or null if there is none. */
  readonly sentAt: Date | null;
}

/** A worker of an older version records no send, but records that the outcome is unknown. */
const lastSendOf = ({ status, sentAt, lastAskedAt }: PayoutAttempt): Date | null =>
  sentAt ?? (status === 'UNKNOWN' ? lastAskedAt : null);

/** Reads a payout under its lock and acquires its open attempt, committed before any call. */
const claimPayout = (deps: PayoutsDeps, payoutId: string): Promise<Claim<Dispatch>> =>
  deps.inTransaction(async (tx): Promise<Claim<Dispatch>> => {
    const payout = await lockPayout(tx, payoutId);
    if (payout === undefined) return skip('there is no such payout');
    const isStarting = payout.status === 'PENDING';
    if (isStarting && payout.approvalRequired && payout.approvedAt === null) {
      return skip('it waits for approval');
    }
    if (!isStarting && payout.status !== 'PROCESSING') return skip(`it is ${payout.status}`);
    const attempt = isStarting
      ? await startAttempt(deps, tx, payout, 'service')
      : await findNewestAttempt(tx, payoutId);
    if (attempt === undefined || !isOpenAttempt(attempt.status)) return skip('nothing is open');
    const { id, providerPayoutId } = attempt;
    const [holderId, at] = [deps.random.uuid(), deps.clock.now()];
    const call = { payout, attempt, holderId, sentAt: lastSendOf(attempt) };
    if (providerPayoutId !== null) {
      await markAttemptQueried(tx, id, at);
      return { kind: 'QUERY', call };
    }
    return (await acquireAttempt(tx, id, { holderId, at }))
      ? { kind: 'SEND', call, wasSent: call.sentAt !== null }
      : heldElsewhere;
  });

const sendPayout = async (
  { banking, provider }: PayoutsDeps,
  { payout, attempt }: Dispatch,
): Promise<Outcome<ProviderPayout>> => {
  const fund = await banking.ensureFundAccount(attempt.bankAccountId);
  // Nothing of the payout itself was sent.
  if (fund.kind === 'unknown') return refused(NOT_SENT, describeOutcome(fund));
  if (fund.kind === 'refused') return fund;
  const { idempotencyKey } = attempt;
  return provider.createPayout({
    idempotencyKey,
    referenceId: idempotencyKey,
    fundAccountId: fund.value.fundAccountId,
    amountPaise: payout.amountPaise,
    mode: 'IMPS',
    narration: 'Gold sale',
  });
};

/** Decides whether an attempt may be sent that the provider has nothing of. */
const decideResend = (
  { clock, provider }: PayoutsDeps,
  { attempt, sentAt }: Dispatch,
): 'SEND' | Undone => {
  const ageMs = msBetween(attempt.startedAt, clock.now());
  const lifeMs = provider.rules.idempotencyKeyLifeMs;
  if (sentAt === null || ageMs <= lifeMs - keyMarginMs) return 'SEND';
  if (ageMs <= lifeMs) return { kind: 'UNKNOWN', reason: 'its key is near the end of its life' };
  // The provider may have forgotten the key, so a resend could pay twice. The earlier request must
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
    const reported = { report: result.value, cause: causeOf(dispatch, result.by) };
    await inTransaction((tx) => recordAttemptReport(deps, tx, id, reported));
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
  hasArrived: ({ sentAt }) =>
    sentAt === null || msBetween(sentAt, deps.clock.now()) > longestFlightMs,
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
 * Sends a payout, or finds out the outcome of an earlier send. It may run at any time, any number
 * of times, in any number of workers, and be killed at any point.
 */
export const dispatchPayout = async (deps: PayoutsDeps, payoutId: string): Promise<void> => {
  await makeCall(deps, createPayoutCall(deps), payoutId);
};
