import { createHash } from 'node:crypto';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  createIdempotency,
  type Idempotency,
  type KeyScope,
  type KeyedRequest,
} from '../../platform/idempotency/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { withLock } from '../../platform/redis/index.ts';
import { type GoldOrder, findOrder } from '../orders/index.ts';
import { findPayoutOfOrder, type Payout } from '../payouts/index.ts';
import type { VerifyErrorCode } from '../provider-operations/index.ts';
import { confirmSale } from './confirm-sale.ts';
import { placeSale } from './place-sale.ts';
import type { SaleInitiator, SaleRequest, SellingDeps } from './selling.types.ts';
import { verifySale } from './verify-sale.ts';

/** The life of the lock of a sale's key after its holder dies (contract: selling > Placing a sale). */
const saleLockMs = 120_000;
/** The time that a second request waits for the first (contract: conventions > Idempotency). */
const saleWaitMs = 5000;

export interface Sale {
  readonly order: GoldOrder;
  readonly payout: Payout | undefined;
  readonly isReplay: boolean;
}

const verifyFailures: readonly VerifyErrorCode[] = [
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_REFUSED',
  'PROVIDER_MISMATCH',
];

/** Returns the error that a failed sale is answered with, the first time and at each repeat. */
const failureOf = ({ failureCode }: GoldOrder): AppError => {
  const verifyFailure = verifyFailures.find((code) => code === failureCode);
  if (verifyFailure !== undefined) return new AppError(verifyFailure);
  const code = failureCode === 'NOT_SOLD' ? 'PROVIDER_REFUSED' : 'PROVIDER_UNAVAILABLE';
  return new AppError(code, {
    message: 'Your gold was not sold. It is still in your account.',
  });
};

const loadOrder = async ({ db }: SellingDeps, orderId: string): Promise<GoldOrder> => {
  const order = await findOrder(db, orderId);
  invariant(order, `sell order ${orderId} is there`);
  return order;
};

const withPayout = async (
  { db }: SellingDeps,
  order: GoldOrder,
  isReplay: boolean,
): Promise<Sale> => ({ order, payout: await findPayoutOfOrder(db, order.id), isReplay });

/** Takes the steps that are left of a sale, from its last committed one. */
const carryThrough = async (
  deps: SellingDeps,
  orderId: string,
  by: SaleInitiator,
): Promise<Sale> => {
  let order = await loadOrder(deps, orderId);
  if (order.status === 'PENDING') {
    await verifySale(deps, order, by);
    order = await loadOrder(deps, orderId);
  }
  if (order.status === 'VERIFIED') {
    await confirmSale(deps, orderId, by);
    order = await loadOrder(deps, orderId);
  }
  if (order.status === 'FAILED') throw failureOf(order);
  if (order.status === 'VERIFIED') throw new AppError('SELL_UNDER_REVIEW');
  return withPayout(deps, order, false);
};

const runUnderKey = (
  deps: SellingDeps,
  keys: Idempotency,
  { scope, payload }: KeyedRequest,
  request: SaleRequest,
): Promise<Sale> =>
  keys.run(scope, payload, {
    replay: async (orderId) => withPayout(deps, await loadOrder(deps, orderId), true),
    async work(claim, resourceId) {
      const by = { actor: `customer:${request.userId}`, requestId: request.requestId };
      const orderId =
        resourceId ?? (await placeSale(deps, request, (tx, placed) => claim.bind(tx, placed)));
      const sale = await carryThrough(deps, orderId, by);
      await claim.finish(deps.db);
      return sale;
    },
  });

const lockKeyOf = ({ ownerId, key }: KeyScope): string =>
  `sell:${ownerId}:${createHash('sha256').update(key).digest('hex')}`;

/**
 * Sells gold, from the idempotency key to the payout. Every step is committed before the next, so
 * that a repeat of the key goes on where a process died. The lock of owner and key keeps a repeat
 * from waiting on the database while the first request runs, and nothing depends on it.
 * @throws AppError what refuses a sale, in the order of refusals; PROVIDER_UNAVAILABLE,
 * PROVIDER_REFUSED, PROVIDER_MISMATCH when it failed; SELL_UNDER_REVIEW when its outcome is unknown
 */
export const sellNow = async (
  deps: SellingDeps,
  keyed: KeyedRequest,
  request: SaleRequest,
): Promise<Sale> => {
  const lock = {
    redis: deps.redis,
    key: lockKeyOf(keyed.scope),
    ttlMs: saleLockMs,
    waitMs: saleWaitMs,
    whenDown: 'run',
  } as const;
  const sale = await withLock(lock, () => runUnderKey(deps, deps.idempotency, keyed, request));
  if (sale !== undefined) return sale;
  // The lock's holder is at it, or died: the lease of the key, which is shorter, decides. This
  // request has waited already.
  return runUnderKey(deps, createIdempotency({ ...deps, waitMs: 0 }), keyed, request);
};

/** Returns the sale of a finished key; undefined for any other key. */
export const findSaleReplay = async (
  deps: SellingDeps,
  { scope, payload }: KeyedRequest,
): Promise<Sale | undefined> => {
  const id = await deps.idempotency.findReplay(scope, payload);
  return id === undefined ? undefined : withPayout(deps, await loadOrder(deps, id), true);
};
