import { readAlone, type Db } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { describeError } from '../../platform/observability/index.ts';
import { describeOutcome, type Outcome } from '../../platform/outcome/outcome.ts';
import { readProviderUserId } from '../identity/index.ts';
import {
  type GoldOrder,
  type VerifiedSale,
  findOrder,
  isVerifiedSale,
  lockOrder,
  sendSaleToReview,
} from '../orders/index.ts';
import {
  acquireConfirm,
  findLatestConfirm,
  recordIntent,
  renewConfirm,
} from '../provider-operations/index.ts';
import {
  recordSaleOutcome,
  type SaleOutcome,
  readSaleVerdict,
  reviewOf,
  type SaleVerdict,
} from './record-sale-outcome.ts';
import type { SaleInitiator, SellingDeps } from './selling.types.ts';

/**
 * The intent is written and its lease held. `queryFirst` says that an earlier try may have arrived.
 */
export interface ConfirmToSend {
  readonly kind: 'CONFIRM';
  readonly order: VerifiedSale;
  readonly confirmId: string;
  readonly holderId: string;
  readonly queryFirst: boolean;
  /** Absent until it is known. */
  readonly providerUserId?: string | null;
}

type Claim =
  /** Nothing is to be confirmed: only the order-status may be queried. */
  | { readonly kind: 'QUERY'; readonly order: VerifiedSale; readonly isUnderReview: boolean }
  | ConfirmToSend
  | { readonly kind: 'LEAVE' };

interface Queried {
  readonly verdict: SaleVerdict;
  /** The answer in a few words, for the record. */
  readonly answer: string;
}

const inProgress = (): AppError => new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });

/**
 * Writes the first intent to confirm a sale, in the transaction that makes it VERIFIED. Undefined
 * for an order that is no verified sale.
 */
export const intendConfirm = async (
  { clock, random }: Pick<SellingDeps, 'clock' | 'random'>,
  tx: Db,
  order: GoldOrder,
  providerUserId: string | null,
): Promise<ConfirmToSend | undefined> => {
  if (!isVerifiedSale(order)) return undefined;
  const [confirmId, holderId] = [random.uuid(), random.uuid()];
  await recordIntent(tx, 'sell-confirm', order, { id: confirmId, holderId, at: clock.now() });
  return { kind: 'CONFIRM', order, confirmId, holderId, queryFirst: false, providerUserId };
};

/** Reads the sale under its lock, and writes and acquires the intent, committed before the call. */
const claimConfirm = (
  { inTransaction, clock, random }: SellingDeps,
  orderId: string,
): Promise<Claim> =>
  inTransaction(async (tx): Promise<Claim> => {
    const order = await lockOrder(tx, orderId);
    if (order === undefined || !isVerifiedSale(order)) return { kind: 'LEAVE' };
    const latest = await findLatestConfirm(tx, 'sell-confirm', orderId);
    if (latest?.isHeld === true) throw inProgress();
    const isUnderReview = order.manualReviewCode !== null;
    const at = clock.now();
    const isOver = at >= order.lockEndsAt || latest?.status === 'REFUSED';
    if (isUnderReview || isOver) return { kind: 'QUERY', order, isUnderReview };
    const holderId = random.uuid();
    if (latest === undefined) {
      const confirmId = random.uuid();
      await recordIntent(tx, 'sell-confirm', order, { id: confirmId, holderId, at });
      return { kind: 'CONFIRM', order, confirmId, holderId, queryFirst: false };
    }
    if (!(await acquireConfirm(tx, latest.id, { holderId, at }))) throw inProgress();
    return { kind: 'CONFIRM', order, confirmId: latest.id, holderId, queryFirst: true };
  });

const queryStatus = async ({ provider }: SellingDeps, order: VerifiedSale): Promise<Queried> => {
  const status = await provider.sellStatus({ providerTxId: order.providerTxId });
  return { verdict: readSaleVerdict(status), answer: describeOutcome(status) };
};

const confirmAtProvider = async (
  { db, provider }: SellingDeps,
  { order, providerUserId: known }: ConfirmToSend,
): Promise<Outcome<{ readonly invoiceId?: string }>> => {
  const providerUserId = known ?? (await readAlone(db, readProviderUserId(order.userId)));
  invariant(providerUserId, `the customer of sell order ${order.id} is known to the provider`);
  const { providerTxId, grams, providerAmountPaise, id: reference, providerRateId } = order;
  return provider.confirmSell({
    providerUserId,
    providerTxId,
    grams,
    providerAmountPaise,
    // The same as at the verify: what a provider without transaction ids of its own goes by.
    reference,
    rateId: providerRateId ?? '',
  });
};

const outcomeOf = (
  order: VerifiedSale,
  { verdict, answer }: Queried,
  by: SaleInitiator,
  confirmed?: Outcome<{ readonly invoiceId?: string }>,
): SaleOutcome => ({
  ...by,
  orderId: order.id,
  verdict,
  cause: verdict === 'SOLD' ? 'provider.sold' : 'provider.not-sold',
  reason:
    confirmed === undefined
      ? `status ${answer}`
      : `confirm ${describeOutcome(confirmed)}, status ${answer}`,
  invoiceId: confirmed?.kind === 'done' ? confirmed.value.invoiceId : undefined,
  wasRefused: confirmed?.kind === 'refused',
  mayFail: false,
  review: reviewOf(verdict === 'SOLD' ? 'UNKNOWN' : verdict, confirmed),
});

const confirmAndQuery = async (
  deps: SellingDeps,
  claim: ConfirmToSend,
  by: SaleInitiator,
): Promise<void> => {
  const { order, confirmId, holderId, queryFirst } = claim;
  const held = { confirmId, holderId };
  if (queryFirst) {
    const queried = await queryStatus(deps, order);
    const mayConfirm = queried.verdict === 'NOT_CONFIRMED' && deps.clock.now() < order.lockEndsAt;
    if (!mayConfirm) {
      await recordSaleOutcome(deps, { ...outcomeOf(order, queried, by), held });
      return;
    }
    if (!(await renewConfirm(deps.db, confirmId, holderId))) throw inProgress();
  }
  const confirmed = await confirmAtProvider(deps, claim);
  const queried = await queryStatus(deps, order);
  await recordSaleOutcome(deps, { ...outcomeOf(order, queried, by, confirmed), held });
};

const queryAlone = async (
  deps: SellingDeps,
  { order, isUnderReview }: Extract<Claim, { kind: 'QUERY' }>,
  by: SaleInitiator,
): Promise<void> => {
  const queried = await queryStatus(deps, order);
  // Under review, the provider's own final answer ends it, whoever hears it.
  const mayFail = isUnderReview && queried.verdict === 'FAILED';
  await recordSaleOutcome(deps, { ...outcomeOf(order, queried, by), mayFail });
};

/** Puts the sale under review: whatever broke, a verified sale may not be answered as cancelled. */
const reviewAfterError = async (
  { db, clock, logger }: SellingDeps,
  orderId: string,
  error: unknown,
): Promise<void> => {
  logger.error({ orderId, err: describeError(error) }, 'a verified sale broke');
  const review = { ...reviewOf('UNKNOWN', undefined), at: clock.now() };
  try {
    await sendSaleToReview(db, orderId, review);
    // It may have broken after the commit that ended it.
    if ((await findOrder(db, orderId))?.status !== 'VERIFIED') return;
  } catch (second) {
    // The sweep finds it: VERIFIED, and no process has it.
    logger.error({ orderId, err: describeError(second) }, 'a sale could not be put under review');
  }
  throw new AppError('SELL_UNDER_REVIEW', { cause: error });
};

/**
 * Takes the second step of a sale: the provider's confirm and its order-status, VERIFIED ->
 * CONFIRMED. The intent is committed before the confirm, the status is queried after every confirm
 * and before any further one, and only the status decides. Any other outcome leaves the sale
 * VERIFIED and under review, with its grams reserved. A sale under review is never confirmed again,
 * only queried (contract: selling > Sales under review). `intended` was written by the verify.
 * @throws AppError SELL_UNDER_REVIEW, and REQUEST_IN_PROGRESS while another process has it
 */
export const confirmSale = async (
  deps: SellingDeps,
  orderId: string,
  by: SaleInitiator,
  intended?: ConfirmToSend,
): Promise<void> => {
  try {
    const claim = intended ?? (await claimConfirm(deps, orderId));
    if (claim.kind === 'CONFIRM') await confirmAndQuery(deps, claim, by);
    if (claim.kind === 'QUERY') await queryAlone(deps, claim, by);
  } catch (error) {
    if (isAppError(error, 'REQUEST_IN_PROGRESS')) throw error;
    await reviewAfterError(deps, orderId, error);
  }
};
