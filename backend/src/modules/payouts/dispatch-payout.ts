import type { Db } from '../../platform/db/index.ts';
import type { FundAccount, ProviderPayout } from '../../adapters/payout-provider/port.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { lockAccountStanding } from '../banking/index.ts';
import {
  findAttempt,
  insertAttempt,
  acquireAttempt,
  findNewestAttempt,
  noteAttemptQueried,
  releaseUnknownAttempt,
  releaseUnsentAttempt,
} from './payout-attempt.store.ts';
import { lockPayout } from './payout.store.ts';
import { transitionPayout, isOpenAttempt } from './payouts.states.ts';
import type { Payout, PayoutAttempt, PayoutsDeps } from './payouts.types.ts';
import { recordAttemptRefusal, recordAttemptReport } from './record-payout-attempt.ts';

/** Builds the provider's idempotency key (contract: payouts > Payout attempts). */
const idempotencyKeyOf = (payoutId: string, attemptNo: number): string =>
  `${payoutId.replaceAll('-', '')}-${attemptNo}`;

/** Returns why a payout may not be sent; undefined when it may. Keeps its account locked. */
const findObstacle = async (
  { provider }: Pick<PayoutsDeps, 'provider'>,
  tx: Db,
  payout: Payout,
): Promise<string | undefined> => {
  const { minimumPaise, maximumImpsPaise } = provider.rules;
  const standing = await lockAccountStanding(tx, payout.bankAccountId);
  if (standing?.isUsable !== true || standing.userId !== payout.userId) {
    return 'The bank account is not verified.';
  }
  if (payout.amountPaise < minimumPaise) return 'The amount is too small for a bank transfer.';
  if (payout.amountPaise > maximumImpsPaise) return 'The amount is too large for one transfer.';
  return undefined;
};

/**
 * Starts a new attempt in the transaction that has the PENDING payout locked: PROCESSING, with the
 * intent written, which is committed before anything is sent. An attempt that may not be sent is
 * refused at once: the payout is FAILED with the reason, and nothing is returned.
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

/** No send is on its way for longer: after it, a refused resend means that none was taken. */
const longestFlightMs = 5 * 60_000;
/** A key is not used in the last hour of its life at the provider. */
const keyMarginMs = 60 * 60_000;

/** The next step that a worker may take with a payout. */
type Claim =
  | { readonly kind: 'LEAVE'; readonly reason: string }
  /** The provider has it: it is only queried. */
  | { readonly kind: 'QUERY'; readonly attempt: PayoutAttempt; readonly providerPayoutId: string }
  /** The intent is written and its lease held; `sentAt` is the last earlier send unanswered. */
  | {
      readonly kind: 'SEND';
      readonly payout: Payout;
      readonly attempt: PayoutAttempt;
      readonly sentAt: Date | null;
      readonly holderId: string;
    };

type Send = Extract<Claim, { kind: 'SEND' }>;

const leave = (reason: string): Claim => ({ kind: 'LEAVE', reason });

/** An older version that runs beside this one notes no send, but says that it does not know. */
const lastSendOf = ({ status, sentAt, lastAskedAt }: PayoutAttempt): Date | null =>
  sentAt ?? (status === 'UNKNOWN' ? lastAskedAt : null);

/** Reads a payout under its lock and acquires its open attempt, committed before any call. */
const claimPayout = (deps: PayoutsDeps, payoutId: string): Promise<Claim> =>
  deps.inTransaction(async (tx): Promise<Claim> => {
    const payout = await lockPayout(tx, payoutId);
    if (payout === undefined) return leave('there is no such payout');
    const isStarting = payout.status === 'PENDING';
    if (isStarting && payout.approvalRequired && payout.approvedAt === null) {
      return leave('it waits for approval');
    }
    if (!isStarting && payout.status !== 'PROCESSING') return leave(`it is ${payout.status}`);
    const attempt = isStarting
      ? await startAttempt(deps, tx, payout, 'service')
      : await findNewestAttempt(tx, payoutId);
    if (attempt === undefined || !isOpenAttempt(attempt.status)) return leave('nothing is open');
    const { id, providerPayoutId } = attempt;
    const at = deps.clock.now();
    if (providerPayoutId !== null) {
      await noteAttemptQueried(tx, id, at);
      return { kind: 'QUERY', attempt, providerPayoutId };
    }
    const holderId = deps.random.uuid();
    if (!(await acquireAttempt(tx, id, { holderId, at }))) return leave('another worker has it');
    return { kind: 'SEND', payout, attempt, sentAt: lastSendOf(attempt), holderId };
  });

const recordReport = async (
  deps: PayoutsDeps,
  attempt: PayoutAttempt,
  report: ProviderPayout,
  cause: string,
): Promise<void> => {
  await deps.inTransaction((tx) => recordAttemptReport(deps, tx, attempt.id, { report, cause }));
};

/** Leaves an attempt undecided: sent in this turn without an answer, or not sent this time. */
const leaveUndecided = async (
  { db, logger }: PayoutsDeps,
  { attempt, holderId, sentAt }: Send,
  { reason, isSent = false }: { readonly reason: string; readonly isSent?: boolean },
): Promise<void> => {
  await (isSent
    ? releaseUnknownAttempt(db, attempt.id, holderId)
    : releaseUnsentAttempt(db, attempt.id, { holderId, sentAt }));
  const { payoutId, attemptNo } = attempt;
  logger.warn({ payoutId, attempt: attemptNo, reason }, 'payout attempt undecided');
};

const refuse = (
  { inTransaction, ...deps }: PayoutsDeps,
  { attempt, holderId }: Send,
  reason: string,
): Promise<void> =>
  inTransaction((tx) => recordAttemptRefusal(deps, tx, attempt.id, { reason, holderId }));

/** Nothing of this try reached the provider: the queue tries again soon. */
const retryUnsent = async (deps: PayoutsDeps, claim: Send, reason: string): Promise<void> => {
  await leaveUndecided(deps, claim, { reason });
  if (claim.sentAt === null) throw new Error(`the payout provider is not available: ${reason}`);
};

/** The provider refused the request itself; an earlier send of the attempt may still arrive. */
const refuseUnlessInFlight = (deps: PayoutsDeps, claim: Send, reason: string): Promise<void> => {
  const { sentAt } = claim;
  const isFinal = sentAt === null || msBetween(sentAt, deps.clock.now()) > longestFlightMs;
  return isFinal
    ? refuse(deps, claim, reason)
    : leaveUndecided(deps, claim, { reason: 'refused, but was sent before' });
};

/** Queries the provider by the attempt's reference and records what it has. */
const findAtProvider = async (
  deps: PayoutsDeps,
  { attempt }: Send,
): Promise<'FOUND' | 'NONE' | 'NO_ANSWER'> => {
  const found = await deps.provider.findPayoutByReference(attempt.idempotencyKey);
  if (found.kind !== 'done') return 'NO_ANSWER';
  if (found.value === undefined) return 'NONE';
  await recordReport(deps, attempt, found.value, 'payout.found');
  return 'FOUND';
};

/** Finds out about an earlier send; returns true when the same attempt may be sent again. */
const mayResend = async (deps: PayoutsDeps, claim: Send): Promise<boolean> => {
  const found = await findAtProvider(deps, claim);
  if (found === 'FOUND') return false;
  const ageMs = msBetween(claim.attempt.startedAt, deps.clock.now());
  const lifeMs = deps.provider.rules.idempotencyKeyLifeMs;
  if (found === 'NO_ANSWER' || (ageMs > lifeMs - keyMarginMs && ageMs <= lifeMs)) {
    await leaveUndecided(deps, claim, { reason: found });
    return false;
  }
  if (ageMs <= lifeMs) return true;
  // By now a resend could pay twice, and what was sent would long be there.
  await refuse(deps, claim, 'The payout never reached the payout provider.');
  return false;
};

const create = async (
  deps: PayoutsDeps,
  claim: Send,
  { fundAccountId }: FundAccount,
): Promise<void> => {
  const { attempt, payout } = claim;
  const { idempotencyKey } = attempt;
  const outcome = await deps.provider.createPayout({
    idempotencyKey,
    referenceId: idempotencyKey,
    fundAccountId,
    amountPaise: payout.amountPaise,
    mode: 'IMPS',
    narration: 'Gold sale',
  });
  if (outcome.kind === 'done') return recordReport(deps, attempt, outcome.value, 'payout.created');
  if (outcome.kind === 'refused') {
    return isUnavailable(outcome)
      ? retryUnsent(deps, claim, outcome.code)
      : refuseUnlessInFlight(deps, claim, outcome.message);
  }
  if ((await findAtProvider(deps, claim)) === 'FOUND') return undefined;
  return leaveUndecided(deps, claim, { reason: describeOutcome(outcome), isSent: true });
};

const send = async (deps: PayoutsDeps, claim: Send): Promise<void> => {
  if (claim.sentAt !== null && !(await mayResend(deps, claim))) return undefined;
  const fund = await deps.banking.ensureFundAccount(claim.attempt.bankAccountId);
  if (fund.kind === 'done') return create(deps, claim, fund.value);
  const isRefusal = fund.kind === 'refused' && !isUnavailable(fund);
  return isRefusal
    ? refuseUnlessInFlight(deps, claim, fund.message)
    : retryUnsent(deps, claim, describeOutcome(fund));
};

const query = async (
  deps: PayoutsDeps,
  { attempt, providerPayoutId }: Extract<Claim, { kind: 'QUERY' }>,
): Promise<void> => {
  const found = await deps.provider.getPayout(providerPayoutId);
  if (found.kind === 'done') return recordReport(deps, attempt, found.value, 'payout.asked');
  const { payoutId } = attempt;
  deps.logger.warn({ payoutId, outcome: describeOutcome(found) }, 'no answer about a payout');
  return undefined;
};

/**
 * Sends a payout, or finds out what became of it (contract: payouts > Payout attempts). It may run
 * at any time, any number of times, in any number of workers, and be killed at any point: the
 * intent is committed before the first call, what was sent before is queried by its reference, and
 * only where the provider has none of it is the same attempt sent again, under the same key and to
 * the letter the same.
 */
export const dispatchPayout = async (deps: PayoutsDeps, payoutId: string): Promise<void> => {
  const { logger } = deps;
  const claim = await claimPayout(deps, payoutId);
  if (claim.kind === 'LEAVE') {
    logger.debug({ payoutId, reason: claim.reason }, 'nothing to dispatch');
    return;
  }
  const { attemptNo } = claim.attempt;
  logger.info({ payoutId, attempt: attemptNo, claim: claim.kind }, 'dispatching');
  await (claim.kind === 'QUERY' ? query(deps, claim) : send(deps, claim));
};
