import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { schedule } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import { findUser } from '../identity/index.ts';
import {
  allocationRetry,
  isAwaitingAllocation,
  isLockedBuy,
  lockOrder,
  type GoldOrder,
  transitionBuy,
  type LockedBuy,
} from '../orders/index.ts';
import {
  acquireConfirm,
  findLatestConfirm,
  recordIntent,
  renewConfirm,
  type Confirm,
} from '../provider-operations/index.ts';
import { findBuyQuote } from '../quotes/index.ts';
import { type Verdict, readVerdict } from './allocation-verdict.ts';
import type { RecordAllocationOutcome } from './record-allocation-outcome.ts';
import type { InstallmentToVerify, VerifyInstallment } from './verify-installment.ts';

export interface AllocateDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly provider: GoldProvider;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  readonly recordOutcome: RecordAllocationOutcome;
  readonly verifyInstallment: VerifyInstallment;
}

/** The work that an order leaves to a worker now. */
type Claim =
  /** Nothing is to be done, or not yet, or by somebody else. */
  | { readonly kind: 'SKIP'; readonly why: string; readonly order: GoldOrder | undefined }
  /** The lock has ended: only the order-status may be queried. */
  | { readonly kind: 'QUERY'; readonly order: LockedBuy; readonly confirm: Confirm | undefined }
  /** An installment: nothing is undecided of it, and the provider's verify comes first. */
  | (InstallmentToVerify & { readonly kind: 'VERIFY'; readonly confirm: undefined })
  /** The intent is written and held; `queryFirst` where there was an earlier try. */
  | {
      readonly kind: 'CONFIRM';
      readonly order: LockedBuy;
      readonly confirm: Pick<Confirm, 'id' | 'verifiedAt'>;
      readonly holderId: string;
      readonly queryFirst: boolean;
    };

/**
 * Creates the claim: it reads an order under its lock and writes the intent of a confirm, in one
 * transaction that is committed before the provider is called. One worker at a time holds the
 * intent; one whose lease lapsed may be acquired, and then the status is queried first.
 */
const createClaim = (deps: AllocateDeps) => {
  const { inTransaction, clock, random } = deps;
  const recordConfirmIntent = async (db: Db, order: LockedBuy, holderId: string, at: Date) => {
    // The quote holds the grams that the verify promised; the order's own are compared with them.
    const quote = await findBuyQuote(db, order.quoteId ?? '', order.userId);
    const confirm = { id: random.uuid(), holderId, grams: quote?.grams, at };
    return recordIntent(db, 'buy-confirm', order, confirm);
  };

  /** Returns the intent, held by `holderId`; undefined when another worker is quicker. */
  const acquireConfirmIntent = async (
    db: Db,
    order: LockedBuy,
    latest: Confirm | undefined,
    holderId: string,
    now: Date,
  ): Promise<Pick<Confirm, 'id' | 'verifiedAt'> | undefined> => {
    // One that was certainly refused leaves no doubt behind: the next try is a new intent.
    if (latest === undefined || latest.status === 'REFUSED') {
      return recordConfirmIntent(db, order, holderId, now);
    }
    return (await acquireConfirm(db, latest.id, holderId)) ? latest : undefined;
  };

  return (orderId: string): Promise<Claim> =>
    inTransaction(async (db) => {
      const order = await lockOrder(db, orderId);
      const skip = (why: string): Claim => ({ kind: 'SKIP', why, order });
      if (order === undefined) return skip('there is no such order');
      const { status } = order;
      if (!isAwaitingAllocation(status)) return skip(`it is ${status}`);
      const latest = await findLatestConfirm(db, 'buy-confirm', orderId);
      if (latest?.isHeld === true) return skip('another worker holds it');
      const now = clock.now();
      const isLocked = isLockedBuy(order);
      if (order.type === 'BUY' && isLocked && now >= order.lockEndsAt) {
        return { kind: 'QUERY', order, confirm: latest };
      }
      const { nextAttemptAt } = order;
      if (status === 'RETRY_PENDING' && nextAttemptAt !== null && now < nextAttemptAt) {
        // Another process's clock is a little ahead of this one: the job is not lost for that.
        await schedule(db, allocationRetry(orderId, nextAttemptAt));
        return skip('its next try is not due');
      }
      const isUndone = latest === undefined || latest.status === 'REFUSED';
      if (order.type === 'SIP_INSTALLMENT' && isUndone) {
        return { kind: 'VERIFY', order, lastConfirmId: latest?.id, confirm: undefined };
      }
      if (!isLocked) return skip('it is not a buy');
      const holderId = random.uuid();
      const confirm = await acquireConfirmIntent(db, order, latest, holderId, now);
      if (confirm === undefined) return skip('another worker holds it');
      if (status === 'RETRY_PENDING') {
        const step = { to: 'PAID', cause: 'allocation.retry', actor: 'worker' } as const;
        await transitionBuy(deps, db, { id: orderId, status }, step);
      }
      return { kind: 'CONFIRM', order, confirm, holderId, queryFirst: latest !== undefined };
    });
};

/**
 * Creates the job that buys the gold of a paid order, or finds out that it was bought; an
 * installment's is verified first, at the price of the moment
 * (contract: buying > Allocation). It may run at any time, any number of times, in any number of
 * workers, and be killed at any point: the intent is committed before the confirm, the status is
 * queried after every confirm and before any further one, and only the status decides.
 */
export const createAllocateOrder = (deps: AllocateDeps) => {
  const { db, clock, logger, provider, portfolios, recordOutcome } = deps;
  const claimOrder = createClaim(deps);

  const query = async (order: LockedBuy): Promise<{ verdict: Verdict; text: string }> => {
    const status = await provider.buyStatus({ providerTxId: order.providerTxId });
    const at = { verifiedAt: order.lockStartedAt, now: clock.now() };
    return { verdict: readVerdict(status, at, provider.rules), text: describeOutcome(status) };
  };

  const confirm = async (order: LockedBuy) => {
    const providerUserId = (await findUser(db, order.userId))?.providerUserId;
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

  const queryOnly = async (claim: Extract<Claim, { kind: 'QUERY' }>) => {
    const { verdict, text } = await query(claim.order);
    const { id: orderId } = claim.order;
    const confirmId = claim.confirm?.id;
    return recordOutcome({
      orderId,
      verdict,
      confirmId,
      actor: 'worker',
      reason: `status ${text}`,
    });
  };

  const confirmAndQuery = async (claim: Extract<Claim, { kind: 'CONFIRM' }>) => {
    const { order, holderId, queryFirst, confirm: intent } = claim;
    const known = { orderId: order.id, confirmId: intent.id, holderId, actor: 'worker' } as const;
    if (queryFirst) {
      const { verdict, text } = await query(order);
      const mayConfirm = verdict === 'NOT_CONFIRMED' && clock.now() < order.lockEndsAt;
      if (!mayConfirm) {
        // This try has sent nothing.
        return recordOutcome({ ...known, verdict, wasRefused: true, reason: `status ${text}` });
      }
      if (!(await renewConfirm(db, intent.id, holderId))) return 'SKIPPED';
    }
    const outcome = await confirm(order);
    const { verdict, text } = await query(order);
    return recordOutcome({
      ...known,
      verdict,
      wasRefused: outcome.kind === 'refused',
      reason: `confirm ${describeOutcome(outcome)}, status ${text}`,
      invoiceId: outcome.kind === 'done' ? outcome.value.invoiceId : undefined,
    });
  };

  const verifyAndConfirm = async (claim: Extract<Claim, { kind: 'VERIFY' }>) => {
    const intended = await deps.verifyInstallment(claim);
    if (intended === undefined) return 'NOT_VERIFIED';
    return confirmAndQuery({ ...intended, kind: 'CONFIRM', queryFirst: false });
  };

  const act = (claim: Exclude<Claim, { kind: 'SKIP' }>) => {
    if (claim.kind === 'VERIFY') return verifyAndConfirm(claim);
    return claim.kind === 'QUERY' ? queryOnly(claim) : confirmAndQuery(claim);
  };

  return async (orderId: string): Promise<void> => {
    const claim = await claimOrder(orderId);
    if (claim.kind === 'SKIP') {
      logger.debug({ orderId, why: claim.why }, 'nothing to allocate');
      // A worker that died between its commit and the drop left the summary of before.
      if (claim.order?.status === 'ALLOCATED') await portfolios.drop(claim.order.userId);
      return;
    }
    const { confirm: intent } = claim;
    logger.info({ orderId, claim: claim.kind, confirmId: intent?.id }, 'allocating');
    const recorded = await act(claim);
    logger.info({ orderId, recorded }, 'allocation recorded');
  };
};

export type AllocateOrder = ReturnType<typeof createAllocateOrder>;
