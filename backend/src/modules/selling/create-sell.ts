import { createHash } from 'node:crypto';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  createIdempotency,
  type Idempotency,
  type KeyScope,
} from '../../platform/idempotency/index.ts';
import { withLock } from '../../platform/redis/index.ts';
import { findPayoutOfOrder, type Payout } from '../payouts/index.ts';
import { type GoldOrder, findOrder } from '../orders/index.ts';
import type { VerifyErrorCode } from '../provider-operations/index.ts';
import type { ConfirmSell } from './confirm-sell.ts';
import type { PlaceSell, SellRequest } from './place-sell.ts';
import type { PlaceSellDeps } from './sell.deps.ts';
import type { MovedBy } from './settle-sell.ts';
import type { VerifySell } from './verify-sell.ts';

/** The life of the lock of a sell's key after its holder dies (interface, Limits). */
const sellLockMs = 120_000;
/** How long a second request waits for the first (decisions, section 1). */
const sellWaitMs = 5000;

export interface Sold {
  readonly order: GoldOrder;
  readonly payout: Payout | undefined;
  readonly isReplay: boolean;
}

export interface KeyedSell {
  readonly scope: KeyScope;
  /** The parsed payload without its key: what a repeat must repeat. */
  readonly payload: object;
  readonly request: SellRequest;
}

const lockKeyOf = ({ ownerId, key }: KeyScope): string =>
  `sell:${ownerId}:${createHash('sha256').update(key).digest('hex')}`;

const verifyFailures: readonly VerifyErrorCode[] = [
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_REFUSED',
  'PROVIDER_MISMATCH',
];

/** What a failed sell is to whoever asked for it, the first time and at each repeat. */
const failureOf = ({ failureCode }: GoldOrder): AppError => {
  const verified = verifyFailures.find((code) => code === failureCode);
  if (verified !== undefined) return new AppError(verified);
  const code = failureCode === 'NOT_SOLD' ? 'PROVIDER_REFUSED' : 'PROVIDER_UNAVAILABLE';
  return new AppError(code, { message: 'The gold was not sold; it is in your account.' });
};

/**
 * A sell from its key to its payout. Every step is committed before the next, so that a repeat of
 * the key takes up where a process died; the lock of owner and key keeps a repeat from waiting on
 * the database while the first request runs, and nothing depends on it.
 */
export const createSell = (
  deps: PlaceSellDeps & {
    readonly idempotency: Idempotency;
    readonly placeSell: PlaceSell;
    readonly verifySell: VerifySell;
    readonly confirmSell: ConfirmSell;
  },
) => {
  const { db, redis, idempotency, placeSell, verifySell, confirmSell } = deps;
  // For a request that has waited for the lock already.
  const impatient = createIdempotency({ ...deps, waitMs: 0 });

  const load = async (orderId: string): Promise<GoldOrder> => {
    const order = await findOrder(db, orderId);
    if (order === undefined) throw new Error(`there is no sell ${orderId}`);
    return order;
  };

  const soldOf = async (order: GoldOrder, isReplay: boolean): Promise<Sold> => ({
    order,
    payout: await findPayoutOfOrder(db, order.id),
    isReplay,
  });

  /** Does what is left to do of a sell, from its last committed step. */
  const carryThrough = async (orderId: string, by: MovedBy): Promise<Sold> => {
    let order = await load(orderId);
    if (order.status === 'PENDING') {
      await verifySell(order, by);
      order = await load(orderId);
    }
    if (order.status === 'VERIFIED') {
      await confirmSell(orderId, by);
      order = await load(orderId);
    }
    if (order.status === 'FAILED') throw failureOf(order);
    if (order.status === 'VERIFIED') throw new AppError('SELL_UNDER_REVIEW');
    return soldOf(order, false);
  };

  const replay = async (orderId: string): Promise<Sold> => soldOf(await load(orderId), true);

  const run = (keys: Idempotency, { scope, payload, request }: KeyedSell): Promise<Sold> =>
    keys.run(scope, payload, {
      replay,
      async work(claim, resourceId) {
        const by = { actor: `customer:${request.userId}`, requestId: request.requestId };
        const orderId =
          resourceId ?? (await placeSell(request, (tx, made) => claim.bind(tx, made)));
        const sold = await carryThrough(orderId, by);
        await claim.finish(db);
        return sold;
      },
    });

  return {
    /** What a finished key made; undefined for any other key. */
    async findReplay(scope: KeyScope, payload: object): Promise<Sold | undefined> {
      const id = await idempotency.findReplay(scope, payload);
      return id === undefined ? undefined : replay(id);
    },

    /**
     * @throws AppError what refuses a sell, in the order of refusals; PROVIDER_UNAVAILABLE,
     * PROVIDER_REFUSED, PROVIDER_MISMATCH when it failed; SELL_UNDER_REVIEW when nobody can say
     */
    async sell(keyed: KeyedSell): Promise<Sold> {
      const lock = {
        redis,
        key: lockKeyOf(keyed.scope),
        ttlMs: sellLockMs,
        waitMs: sellWaitMs,
        whenDown: 'run',
      } as const;
      const sold = await withLock(lock, () => run(idempotency, keyed));
      // Its holder is at it, or died: the lease of the key, which is shorter, tells which.
      return sold ?? run(impatient, keyed);
    },
  };
};

export type Sell = ReturnType<typeof createSell>;
