import { formatRupees, paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { payloadHash } from '../../platform/idempotency/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { gstRateBpsOn } from '../statutory/index.ts';
import { findOrderableProducts, lockStock, selectUnchangedProducts } from '../catalogue/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { LimitsService } from '../settings/index.ts';
import { requireRoom } from './open-deliveries.ts';
import { priceOrder, rateFor, requireExpectedTotal, requireOrderable } from './price-order.ts';
import type { PlaceOrderBody } from './product-orders.schemas.ts';
import { notifyStatus } from './product-orders.notifications.ts';
import { findOrderOfKey, insertProductOrder } from './product-orders.store.ts';
import type { NewProductOrder, ProductOrder, ShippingAddress } from './product-orders.types.ts';
import { openAddress, sealAddress } from './shipping-address.ts';

export interface PlaceOrderDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUser'>;
  readonly price: Pick<LivePriceReader, 'livePrice'>;
  readonly limits: Pick<LimitsService, 'current'>;
  readonly inTransaction: InTransaction;
  readonly notify: Notify;
  readonly metrics: Pick<Metrics, 'countBound'>;
  /** OPEN_DELIVERIES_PER_CUSTOMER. */
  readonly maxOpenDeliveries: number;
}

interface PlaceOrderRequest {
  readonly userId: string;
  readonly body: PlaceOrderBody;
  readonly requestId: string;
}

export interface PlacedOrder {
  readonly order: ProductOrder;
  readonly address: ShippingAddress;
  readonly isReplay: boolean;
}

const hashOf = ({ items, shippingAddress, expectedTotal }: PlaceOrderBody): string =>
  payloadHash({
    items,
    shippingAddress,
    expectedTotal: expectedTotal === undefined ? undefined : formatRupees(expectedTotal),
  });

const keyOf = (body: PlaceOrderBody): NewProductOrder['key'] => {
  const { idempotencyKey } = body;
  return idempotencyKey === undefined ? undefined : { idempotencyKey, payloadHash: hashOf(body) };
};

/**
 * Returns the order that the request's key made before, or undefined where there is none.
 * @throws AppError IDEMPOTENCY_KEY_REUSED where it was made from something else
 */
const findEarlier = async (
  { db, vault }: PlaceOrderDeps,
  { userId, body }: PlaceOrderRequest,
): Promise<PlacedOrder | undefined> => {
  const key = keyOf(body);
  if (key === undefined) return undefined;
  const earlier = await findOrderOfKey(db, userId, key.idempotencyKey);
  if (earlier === undefined) return undefined;
  if (earlier.payloadHash !== key.payloadHash) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  const address = openAddress(await vault.forUser(db, userId), earlier.order);
  // A deletion erases the key with the address.
  invariant(address, 'an order that has its key has its address');
  return { order: earlier.order, address, isReplay: true };
};

/** The fields that are empty in a new order. */
const unsent = { shipment: undefined, cashReceivedPaise: paise(0n) } as const;

/**
 * Reads and prices what is ordered, and writes it, or undefined where a product changed meanwhile.
 */
const tryToPlace = async (
  deps: PlaceOrderDeps,
  request: PlaceOrderRequest,
): Promise<PlacedOrder | undefined> => {
  const { db, clock, random, vault, price, limits } = deps;
  const { userId, requestId } = request;
  const { items, shippingAddress: address, expectedTotal } = request.body;
  const createdAt = clock.now();
  const productIds = items.map(({ productId }) => productId);
  const [found, gstBps, tariff, sealer] = await Promise.all([
    findOrderableProducts(db, productIds),
    gstRateBpsOn(db, createdAt),
    limits.current(),
    vault.forUser(db, userId),
  ]);
  const productOf = new Map(found.map((product) => [product.id, product]));
  const orderable = requireOrderable(
    items.map((item) => ({ ...item, product: productOf.get(item.productId) })),
  );
  const rate24KPaise = await rateFor(orderable, price);
  const { lines, totals } = priceOrder(orderable, { rate24KPaise, gstBps, tariff });
  requireExpectedTotal(totals, expectedTotal);

  const id = random.uuid();
  const order: NewProductOrder = {
    id,
    userId,
    lines,
    ...totals,
    gstRateBps: gstBps,
    shippingAddressSealed: sealAddress(sealer, id, address),
    createdAt,
    key: keyOf(request.body),
    requestId,
  };
  const result = await deps.inTransaction(async (tx) => {
    await requireRoom(deps, tx, order, tariff);
    const left = await lockStock(tx, productIds);
    requireOrderable(
      orderable.map((line) => ({
        ...line,
        product: { ...line.product, stock: left.get(line.productId) ?? null },
      })),
    );
    const outcome = await insertProductOrder(tx, order, {
      unchangedProducts: selectUnchangedProducts(found),
      ids: [random.uuid(), ...lines.map(() => random.uuid())],
    });
    if (outcome === 'placed') await notifyStatus(tx, deps.notify, order, 'PLACED');
    return outcome;
  });
  if (result === 'products-changed') return undefined;
  if (result === 'placed')
    return { order: { ...order, ...unsent, status: 'PLACED' }, address, isReplay: false };
  const earlier = await findEarlier(deps, request);
  invariant(earlier, 'the key is taken by an order');
  return earlier;
};

/** Times that an order is priced again because a product changed while it was written. */
const maxAttempts = 3;

/**
 * Places an order at the prices of this moment. Nothing is paid before the delivery (contract:
 * jewellery > Placing a product order). A repeat of a key is answered with what the key made before
 * anything else is refused. The key is looked up only where the order can't be written, for the
 * row's unique key finds a repeat all the same.
 * @throws AppError IDEMPOTENCY_KEY_REUSED, PRODUCT_UNAVAILABLE, LIMIT_EXCEEDED for a customer with
 *   too much on its way, SERVICE_UNAVAILABLE while a DYNAMIC product has no price, PRICE_CHANGED,
 *   and CONFLICT where a product changes again and again. All of them leave the key free.
 */
export const placeProductOrder = async (
  deps: PlaceOrderDeps,
  request: PlaceOrderRequest,
): Promise<PlacedOrder> => {
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const placed = await tryToPlace(deps, request);
      if (placed !== undefined) return placed;
    }
    throw new AppError('CONFLICT', {
      message:
        'A product changed while you were ordering it. Nothing was ordered. Please try again.',
    });
  } catch (refusal) {
    if (!isAppError(refusal)) throw refusal;
    const earlier = await findEarlier(deps, request);
    if (earlier === undefined) throw refusal;
    return earlier;
  }
};
