import type { ConfirmedTransaction } from '../../adapters/gold-provider/port.ts';
import {
  heldElsewhere,
  makeCall,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
} from '../../platform/collaborator-call/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { schedule } from '../../platform/jobs/index.ts';
import { readProviderUserId } from '../identity/index.ts';
import {
  allocationRetry,
  isAwaitingAllocation,
  hasPriceLock,
  lockOrder,
  transitionBuy,
  type PriceLockedBuy,
} from '../orders/index.ts';
import {
  acquireConfirm,
  createConfirmSteps,
  describeConfirm,
  findLatestConfirm,
  recordFirstIntent,
  recordIntent,
  type Confirm,
  type HeldConfirm,
} from '../provider-operations/index.ts';
import { findBuyQuote, quotedGramsSql } from '../quotes/index.ts';
import { decidableAfter, type Verdict } from './allocation-verdict.ts';
import type { AllocationDeps } from './buying.types.ts';
import { recordAllocationOutcome } from './record-allocation-outcome.ts';
import { verifyInstallment, type InstallmentToVerify } from './verify-installment.ts';

interface AllocationRequest {
  readonly orderId: string;
  /** The undecided confirm whose outcome a sweep queries. Absent for an attempt at the allocation. */
  readonly undecided?: Pick<Confirm, 'id' | 'providerTxId' | 'verifiedAt'>;
}

/** One turn at the purchase of an order's gold at the provider. */
interface Allocation {
  readonly orderId: string;
  readonly actor: 'worker' | 'janitor';
  readonly providerTxId: string;
  /** The time just before the verify was sent. */
  readonly verifiedAt: Date;
  /** The order's newest confirm, or undefined if no intent was ever written. */
  readonly confirmId: string | undefined;
  /** The confirm whose lease this worker holds. Absent if the provider may only be queried. */
  readonly held?: HeldConfirm<PriceLockedBuy>;
}

/** The next step for an order, as `readOrder` decides it. */
type OrderStep =
  | Claim<Allocation>
  /** An installment without an undecided confirm, which must first be verified at the provider. */
  | (InstallmentToVerify & { readonly kind: 'VERIFY' })
  | { readonly kind: 'ALLOCATED'; readonly userId: string };

const allocationOf = (
  { id: orderId, providerTxId, lockStartedAt: verifiedAt }: PriceLockedBuy,
  confirmId: string | undefined,
): Allocation => ({ orderId, actor: 'worker', providerTxId, verifiedAt, confirmId });

const toSend = (held: HeldConfirm<PriceLockedBuy>, wasSent: boolean): Claim<Allocation> => ({
  kind: 'SEND',
  call: { ...allocationOf(held.order, held.confirmId), held },
  wasSent,
});

/**
 * Acquires the lease of the order's confirm. Records a new intent if there is none or the last one
 * was refused. Returns undefined while another worker has the lease.
 */
const acquireConfirmIntent = async (
  { random }: AllocationDeps,
  tx: Db,
  order: PriceLockedBuy,
  latest: Confirm | undefined,
  at: Date,
): Promise<HeldConfirm<PriceLockedBuy> | undefined> => {
  const holderId = random.uuid();
  // A refused confirm had no effect, so the next attempt records a new intent.
  if (latest !== undefined && latest.status !== 'REFUSED') {
    const isAcquired = await acquireConfirm(tx, latest.id, { holderId, at });
    return isAcquired ? { order, confirmId: latest.id, holderId } : undefined;
  }
  // The quote has the grams that the verify promised. The order's grams are later compared with them.
  const quote = await findBuyQuote(tx, order.quoteId ?? '', order.userId);
  const intent = { id: random.uuid(), holderId, grams: quote?.grams, at };
  await recordIntent(tx, 'buy-confirm', order, intent);
  return { order, confirmId: intent.id, holderId };
};

/**
 * Records the intent of an order's first attempt, and returns it with the data that its confirm
 * needs. This saves round trips, because most orders need only one attempt. Returns undefined if
 * there was an attempt before.
 */
const recordFirstAttempt = async (
  { random, clock }: AllocationDeps,
  tx: Db,
  order: PriceLockedBuy,
): Promise<HeldConfirm<PriceLockedBuy> | undefined> => {
  const { quoteId, userId } = order;
  const holderId = random.uuid();
  // The quote has the grams that the verify promised. The order's grams are later compared with them.
  const grams = quotedGramsSql(quoteId, userId);
  const intent = { id: random.uuid(), holderId, grams, at: clock.now() };
  const reads = { providerUserId: readProviderUserId(userId) };
  const values = await recordFirstIntent(tx, 'buy-confirm', order, intent, reads);
  return values && { order, confirmId: intent.id, holderId, ...values };
};

/**
 * Decides the next step for an order under its lock. If a confirm is due, records its intent and
 * acquires its lease.
 */
const readOrder = (deps: AllocationDeps, orderId: string): Promise<OrderStep> =>
  deps.inTransaction(async (tx): Promise<OrderStep> => {
    const order = await lockOrder(tx, orderId);
    if (order === undefined) return skip('there is no such order');
    const { status, userId } = order;
    if (status === 'ALLOCATED') return { kind: status, userId };
    if (!isAwaitingAllocation(status)) return skip(`it is ${status}`);
    const now = deps.clock.now();
    const isLocked = hasPriceLock(order);
    const isUntried = status === 'PAID' && order.allocationAttempts === 0;
    if (order.type === 'BUY' && isLocked && isUntried && now < order.lockEndsAt) {
      const first = await recordFirstAttempt(deps, tx, order);
      if (first !== undefined) return toSend(first, false);
    }
    const latest = await findLatestConfirm(tx, 'buy-confirm', orderId);
    if (latest?.isHeld === true) return heldElsewhere;
    if (order.type === 'BUY' && isLocked && now >= order.lockEndsAt) {
      return { kind: 'QUERY', call: allocationOf(order, latest?.id) };
    }
    const { nextAttemptAt } = order;
    if (status === 'RETRY_PENDING' && nextAttemptAt !== null && now < nextAttemptAt) {
      // The clock of the process that started this job may be ahead of this process's clock. The
      // job is scheduled again, so that it is not lost.
      await schedule(tx, allocationRetry(orderId, nextAttemptAt));
      return skip('its next try is not due');
    }
    const needsVerify = latest === undefined || latest.status === 'REFUSED';
    if (order.type === 'SIP_INSTALLMENT' && needsVerify) {
      return { kind: 'VERIFY', order, lastConfirmId: latest?.id };
    }
    if (!isLocked) return skip('it is not a buy');
    const held = await acquireConfirmIntent(deps, tx, order, latest, now);
    if (held === undefined) return heldElsewhere;
    if (status === 'RETRY_PENDING') {
      const step = { to: 'PAID', cause: 'allocation.retry', actor: 'worker' } as const;
      await transitionBuy(deps, tx, { id: orderId, status }, step);
    }
    return toSend(held, latest !== undefined);
  });

const claimAllocation = async (
  deps: AllocationDeps,
  { orderId, undecided }: AllocationRequest,
): Promise<Claim<Allocation>> => {
  if (undecided !== undefined) {
    const { id: confirmId, providerTxId, verifiedAt } = undecided;
    const call = { orderId, actor: 'janitor', providerTxId, verifiedAt, confirmId } as const;
    return { kind: 'QUERY', call };
  }
  const step = await readOrder(deps, orderId);
  if (step.kind === 'ALLOCATED') {
    // A worker may have died after its commit, before it dropped the cached portfolio summary.
    await deps.portfolios.drop(step.userId);
    return skip('it is ALLOCATED');
  }
  if (step.kind !== 'VERIFY') return step;
  const verified = await verifyInstallment(deps, step);
  return verified === undefined ? skip('it was not verified') : toSend(verified, false);
};

const verdicts: Readonly<Record<CallResult<unknown>['kind'], Verdict>> = {
  DONE: 'BOUGHT',
  REFUSED: 'NEVER',
  INTENDED: 'NOT_CONFIRMED',
  UNKNOWN: 'UNKNOWN',
};

const recordAllocation = async (
  deps: AllocationDeps,
  { orderId, actor, confirmId, held }: Allocation,
  result: CallResult<ConfirmedTransaction>,
): Promise<void> => {
  const { kind, answer } = result;
  await recordAllocationOutcome(deps, {
    orderId,
    actor,
    confirmId,
    holderId: held?.holderId,
    verdict: verdicts[kind],
    wasRefused: kind === 'INTENDED',
    reason: describeConfirm(result),
    invoiceId: answer?.kind === 'done' ? answer.value.invoiceId : undefined,
  });
};

/**
 * Declares the call that buys an order's gold (contract: buying > Allocation). An installment is
 * first verified at the current price. Only the provider's order status decides the outcome.
 */
export const createAllocationCall = (
  deps: AllocationDeps,
): CallProtocol<AllocationRequest, Allocation, ConfirmedTransaction> => ({
  ...createConfirmSteps(deps, 'buy'),
  flow: 'allocation',
  fieldsOf: ({ orderId }) => ({ orderId }),
  claim: (request) => claimAllocation(deps, request),
  hasArrived: ({ verifiedAt }) =>
    deps.clock.now() > decidableAfter(verifiedAt, deps.provider.rules),
  decide({ held }, hasArrived) {
    if (held !== undefined && deps.clock.now() < held.order.lockEndsAt) return 'SEND';
    const reason = 'it may not be confirmed any more';
    return hasArrived ? { kind: 'REFUSED', code: 'LAPSED', reason } : { kind: 'UNKNOWN', reason };
  },
  record: (allocation, result) => recordAllocation(deps, allocation, result),
});

/**
 * Buys the gold of a paid order, or finds out that the gold was already bought. It may run at any
 * time, any number of times, in any number of workers, and be killed at any point.
 */
export const allocateOrder = async (deps: AllocationDeps, orderId: string): Promise<void> => {
  await makeCall(deps, createAllocationCall(deps), { orderId });
};
