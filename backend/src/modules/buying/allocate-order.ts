import { readAlone, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { schedule } from '../../platform/jobs/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { readProviderUserId } from '../identity/index.ts';
import {
  allocationRetry,
  isAwaitingAllocation,
  isLockedBuy,
  lockOrder,
  transitionBuy,
  type GoldOrder,
  type LockedBuy,
} from '../orders/index.ts';
import {
  acquireConfirm,
  findLatestConfirm,
  recordFirstIntent,
  recordIntent,
  renewConfirm,
  type Confirm,
} from '../provider-operations/index.ts';
import { findBuyQuote, quotedGrams } from '../quotes/index.ts';
import { type Verdict, readVerdict } from './allocation-verdict.ts';
import type { AllocationDeps } from './buying.types.ts';
import { recordAllocationOutcome, type RecordedAllocation } from './record-allocation-outcome.ts';
import { verifyInstallment, type InstallmentToVerify } from './verify-installment.ts';

/** The work that an order leaves to a worker now. */
type Claim =
  /** Nothing is to be done, or not yet, or by somebody else. */
  | { readonly kind: 'SKIP'; readonly why: string; readonly order: GoldOrder | undefined }
  /** The lock has ended: only the order-status may be queried. */
  | { readonly kind: 'QUERY'; readonly order: LockedBuy; readonly confirm: Confirm | undefined }
  /** An installment: nothing is undecided of it, and the provider's verify comes first. */
  | (InstallmentToVerify & { readonly kind: 'VERIFY'; readonly confirm: undefined })
  /** The intent is written and held. `queryFirst` says that there was an earlier try. */
  | {
      readonly kind: 'CONFIRM';
      readonly order: LockedBuy;
      readonly confirm: Pick<Confirm, 'id' | 'verifiedAt'>;
      readonly holderId: string;
      readonly queryFirst: boolean;
      /** Present if it was read with the intent. */
      readonly providerUserId?: string | null;
    };

type ClaimOf<Kind extends Claim['kind']> = Extract<Claim, { kind: Kind }>;

/**
 * Acquires the lease of the order's confirm, recording a new intent where there is none or the last
 * was refused. Returns undefined while another worker has it.
 */
const acquireConfirmIntent = async (
  { random }: AllocationDeps,
  tx: Db,
  order: LockedBuy,
  latest: Confirm | undefined,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<Pick<Confirm, 'id' | 'verifiedAt'> | undefined> => {
  // One that was certainly refused leaves no doubt behind: the next try is a new intent.
  if (latest !== undefined && latest.status !== 'REFUSED') {
    return (await acquireConfirm(tx, latest.id, { holderId, at })) ? latest : undefined;
  }
  // The quote holds the grams that the verify promised. The order's own are compared with them.
  const quote = await findBuyQuote(tx, order.quoteId ?? '', order.userId);
  const intent = { id: random.uuid(), holderId, grams: quote?.grams, at };
  return recordIntent(tx, 'buy-confirm', order, intent);
};

/**
 * Writes the intent of an order's very first try, which most orders need no other of, with what its
 * confirm is sent with. Undefined where there was a try before.
 */
const recordFirstTry = async (
  { random, clock }: AllocationDeps,
  tx: Db,
  order: LockedBuy,
): Promise<ClaimOf<'CONFIRM'> | undefined> => {
  const { quoteId, userId } = order;
  const holderId = random.uuid();
  // The quote holds the grams that the verify promised. The order's own are compared with them.
  const grams = quotedGrams(quoteId, userId);
  const intent = { id: random.uuid(), holderId, grams, at: clock.now() };
  const reads = { providerUserId: readProviderUserId(userId) };
  const found = await recordFirstIntent(tx, 'buy-confirm', order, intent, reads);
  if (found === undefined) return undefined;
  const { values, ...confirm } = found;
  return { kind: 'CONFIRM', order, confirm, holderId, queryFirst: false, ...values };
};

/**
 * Claims an order: it is read under its lock and the intent of a confirm is written, in one
 * transaction that is committed before the provider is called. One worker at a time holds the
 * intent. One whose lease lapsed may be acquired, and then the status is queried first.
 */
const claimOrder = (deps: AllocationDeps, orderId: string): Promise<Claim> =>
  deps.inTransaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    const skip = (why: string): Claim => ({ kind: 'SKIP', why, order });
    if (order === undefined) return skip('there is no such order');
    const { status } = order;
    if (!isAwaitingAllocation(status)) return skip(`it is ${status}`);
    const now = deps.clock.now();
    const isLocked = isLockedBuy(order);
    const isUntried = status === 'PAID' && order.allocationAttempts === 0;
    if (order.type === 'BUY' && isLocked && isUntried && now < order.lockEndsAt) {
      const first = await recordFirstTry(deps, tx, order);
      if (first !== undefined) return first;
    }
    const latest = await findLatestConfirm(tx, 'buy-confirm', orderId);
    if (latest?.isHeld === true) return skip('another worker holds it');
    if (order.type === 'BUY' && isLocked && now >= order.lockEndsAt) {
      return { kind: 'QUERY', order, confirm: latest };
    }
    const { nextAttemptAt } = order;
    if (status === 'RETRY_PENDING' && nextAttemptAt !== null && now < nextAttemptAt) {
      // Another process's clock is a little ahead of this one: the job is not lost for that.
      await schedule(tx, allocationRetry(orderId, nextAttemptAt));
      return skip('its next try is not due');
    }
    const isUndone = latest === undefined || latest.status === 'REFUSED';
    if (order.type === 'SIP_INSTALLMENT' && isUndone) {
      return { kind: 'VERIFY', order, lastConfirmId: latest?.id, confirm: undefined };
    }
    if (!isLocked) return skip('it is not a buy');
    const holderId = deps.random.uuid();
    const confirm = await acquireConfirmIntent(deps, tx, order, latest, { holderId, at: now });
    if (confirm === undefined) return skip('another worker holds it');
    if (status === 'RETRY_PENDING') {
      const step = { to: 'PAID', cause: 'allocation.retry', actor: 'worker' } as const;
      await transitionBuy(deps, tx, { id: orderId, status }, step);
    }
    return { kind: 'CONFIRM', order, confirm, holderId, queryFirst: latest !== undefined };
  });

const queryStatus = async (
  { provider, clock }: AllocationDeps,
  order: LockedBuy,
): Promise<{ verdict: Verdict; text: string }> => {
  const status = await provider.buyStatus({ providerTxId: order.providerTxId });
  const at = { verifiedAt: order.lockStartedAt, now: clock.now() };
  return { verdict: readVerdict(status, at, provider.rules), text: describeOutcome(status) };
};

const sendConfirm = async (
  { db, provider }: AllocationDeps,
  order: LockedBuy,
  known: string | null | undefined,
) => {
  const providerUserId = known ?? (await readAlone(db, readProviderUserId(order.userId)));
  const { providerTxId, quoteId, grams, providerAmountPaise, providerRateId } = order;
  invariant(providerUserId, `the provider knows the customer of order ${order.id}`);
  invariant(providerAmountPaise, `order ${order.id} has the provider's amount`);
  return provider.confirmBuy({
    providerUserId,
    providerTxId,
    grams,
    providerAmountPaise,
    // The same as at the verify: what a provider without transaction ids of its own goes by.
    reference: quoteId ?? order.id,
    rateId: providerRateId ?? '',
  });
};

const queryOnly = async (
  deps: AllocationDeps,
  { order, confirm }: ClaimOf<'QUERY'>,
): Promise<RecordedAllocation> => {
  const { verdict, text } = await queryStatus(deps, order);
  return recordAllocationOutcome(deps, {
    orderId: order.id,
    verdict,
    confirmId: confirm?.id,
    actor: 'worker',
    reason: `status ${text}`,
  });
};

const confirmAndQuery = async (
  deps: AllocationDeps,
  { order, holderId, queryFirst, confirm, providerUserId }: ClaimOf<'CONFIRM'>,
): Promise<RecordedAllocation> => {
  const known = { orderId: order.id, confirmId: confirm.id, holderId, actor: 'worker' } as const;
  if (queryFirst) {
    const { verdict, text } = await queryStatus(deps, order);
    const mayConfirm = verdict === 'NOT_CONFIRMED' && deps.clock.now() < order.lockEndsAt;
    if (!mayConfirm) {
      // This try has sent nothing.
      const outcome = { ...known, verdict, wasRefused: true, reason: `status ${text}` };
      return recordAllocationOutcome(deps, outcome);
    }
    if (!(await renewConfirm(deps.db, confirm.id, holderId))) return 'SKIPPED';
  }
  const answer = await sendConfirm(deps, order, providerUserId);
  const { verdict, text } = await queryStatus(deps, order);
  return recordAllocationOutcome(deps, {
    ...known,
    verdict,
    wasRefused: answer.kind === 'refused',
    reason: `confirm ${describeOutcome(answer)}, status ${text}`,
    invoiceId: answer.kind === 'done' ? answer.value.invoiceId : undefined,
  });
};

const verifyAndConfirm = async (
  deps: AllocationDeps,
  claim: ClaimOf<'VERIFY'>,
): Promise<RecordedAllocation | 'NOT_VERIFIED'> => {
  const intended = await verifyInstallment(deps, claim);
  if (intended === undefined) return 'NOT_VERIFIED';
  return confirmAndQuery(deps, { ...intended, kind: 'CONFIRM', queryFirst: false });
};

const act = (deps: AllocationDeps, claim: Exclude<Claim, { kind: 'SKIP' }>) => {
  if (claim.kind === 'VERIFY') return verifyAndConfirm(deps, claim);
  return claim.kind === 'QUERY' ? queryOnly(deps, claim) : confirmAndQuery(deps, claim);
};

/**
 * Buys the gold of a paid order, or finds out that it was bought. An installment's is verified
 * first, at the current price (contract: buying > Allocation). It may run at any time, any number
 * of times, in any number of workers, and be killed at any point: the intent is committed before
 * the confirm, the status is queried after every confirm and before any further one, and only the
 * status decides.
 */
export const allocateOrder = async (deps: AllocationDeps, orderId: string): Promise<void> => {
  const { logger, portfolios } = deps;
  const claim = await claimOrder(deps, orderId);
  if (claim.kind === 'SKIP') {
    logger.debug({ orderId, why: claim.why }, 'nothing to allocate');
    // A worker that died between its commit and the drop left the summary of before.
    if (claim.order?.status === 'ALLOCATED') await portfolios.drop(claim.order.userId);
    return;
  }
  logger.info({ orderId, claim: claim.kind, confirmId: claim.confirm?.id }, 'allocating');
  const recorded = await act(deps, claim);
  logger.info({ orderId, recorded }, 'allocation recorded');
};
