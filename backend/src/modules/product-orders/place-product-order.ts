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
import { findOrderableProducts, lockStock, lockUnchangedProductsSql } from '../catalogue/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { LimitsService } from '../settings/index.ts';
import { requireDeliveryLimits } from './open-deliveries.ts';
import { priceOrder, readRate24K, requireExpectedTotal, requireOrderable } from './price-order.ts';
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
  readonly metrics: Pick<Metrics, 'countBoundReached'>;
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

const payloadHashOf = ({ items, shippingAddress, expectedTotal }: PlaceOrderBody): string =>
  payloadHash({
    items,
    shippingAddress,
    expectedTotal: expectedTotal === undefined ? undefined : formatRupees(expectedTotal),
  });

const keyOf = (body: PlaceOrderBody): NewProductOrder['key'] => {
  const { idempotencyKey } = body;
  return idempotencyKey === undefined
    ? undefined
    : { idempotencyKey, payloadHash: payloadHashOf(body) };
};

/**
 * Returns the order that was placed earlier with the request's idempotency key, or undefined if there
 * is none.
 * @throws AppError IDEMPOTENCY_KEY_REUSED if the earlier request had another payload
 */
const findReplay = async (
  { db, vault }: PlaceOrderDeps,
  { userId, body }: PlaceOrderRequest,
): Promise<PlacedOrder | undefined> => {
  const key = keyOf(body);
  if (key === undefined) return undefined;
  const earlier = await findOrderOfKey(db, userId, key.idempotencyKey);
  if (earlier === undefined) return undefined;
  if (earlier.payloadHash !== key.payloadHash) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  const address = openAddress(await vault.forUser(db, userId), earlier.order);
  // The deletion of an account erases the idempotency key and the address together.
  invariant(address, 'an order with an idempotency key has an address');
  return { order: earlier.order, address, isReplay: true };
};

/** The values of fields that an operator sets later. */
const initialFields = { shipment: undefined, cashReceivedPaise: paise(0n) } as const;

/**
 * Reads and prices the products and inserts the order. Returns undefined if a product has changed
 * between the read and the insert.
 */
const tryPlaceOrder = async (
  deps: PlaceOrderDeps,
  request: PlaceOrderRequest,
): Promise<PlacedOrder | undefined> => {
  const { db, clock, random, vault, price, limits } = deps;
  const { userId, requestId } = request;
  const { items, shippingAddress: address, expectedTotal } = request.body;
  const createdAt = clock.now();
  const productIds = items.map(({ productId }) => productId);
  const [products, gstBps, tariff, sealer] = await Promise.all([
    findOrderableProducts(db, productIds),
    gstRateBpsOn(db, createdAt),
    limits.current(),
    vault.forUser(db, userId),
  ]);
  const productOf = new Map(products.map((product) => [product.id, product]));
  const orderable = requireOrderable(
    items.map((item) => ({ ...item, product: productOf.get(item.productId) })),
  );
  const rate24KPaise = await readRate24K(orderable, price);
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
    await requireDeliveryLimits(deps, tx, order, tariff);
    const stockById = await lockStock(tx, productIds);
    requireOrderable(
      orderable.map((line) => ({
        ...line,
        product: { ...line.product, stock: stockById.get(line.productId) ?? null },
      })),
    );
    const outcome = await insertProductOrder(tx, order, {
      unchangedProducts: lockUnchangedProductsSql(products),
      ids: [random.uuid(), ...lines.map(() => random.uuid())],
    });
    if (outcome === 'placed') await notifyStatus(tx, deps.notify, order, 'PLACED');
    return outcome;
  });
  if (result === 'products-changed') return undefined;
  if (result === 'placed')
    return { order: { ...order, ...initialFields, status: 'PLACED' }, address, isReplay: false };
  const earlier = await findReplay(deps, request);
  invariant(earlier, 'a taken key belongs to an order');
  return earlier;
};

/** The maximum number of times that an order is priced, because a product may change meanwhile. */
const maxAttempts = 3;

/**
 * Places an order at the current prices. The customer pays on delivery (contract: jewellery > Placing a
 * product order). A repeat of an idempotency key returns the earlier order, even if a new order would be
 * refused. The key is looked up only after the order could not be inserted, because the unique index
 * detects every repeat.
 * @throws AppError IDEMPOTENCY_KEY_REUSED, PRODUCT_UNAVAILABLE, PRICE_CHANGED, LIMIT_EXCEEDED if the
 *   customer has too many open deliveries, SERVICE_UNAVAILABLE while a DYNAMIC product has no price, and
 *   CONFLICT if a product changed during every attempt. After an error the key can be used again.
 */
export const placeProductOrder = async (
  deps: PlaceOrderDeps,
  request: PlaceOrderRequest,
): Promise<PlacedOrder> => {
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const placedOrder = await tryPlaceOrder(deps, request);
      if (placedOrder !== undefined) return placedOrder;
    }
    throw new AppError('CONFLICT', {
      message:
        'A product changed while you were ordering it. Nothing was ordered. Please try again.',
    });
  } catch (refusal) {
    if (!isAppError(refusal)) throw refusal;
    const earlier = await findReplay(deps, request);
    if (earlier === undefined) throw refusal;
    return earlier;
  }
};
