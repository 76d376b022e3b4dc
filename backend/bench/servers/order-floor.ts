import { createServer } from 'node:http';
import express from 'express';
import { gstRateBpsOn } from '../../src/modules/statutory/index.ts';
import {
  findOrderableProducts,
  lockUnchangedProductsSql,
} from '../../src/modules/catalogue/index.ts';
import { findActivePhone } from '../../src/modules/identity/users.store.ts';
import { requireDeliveryLimits } from '../../src/modules/product-orders/open-deliveries.ts';
import { insertProductOrder } from '../../src/modules/product-orders/product-orders.store.ts';
import { bps, paise } from '../../src/money/index.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createDatabase } from '../../src/platform/db/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';

/**
 * A bare Express handler that only sends the statements of a product order, by the service's own
 * client. It has no tokens, limits, sealing, pricing, log and checks. Its amounts are fixed.
 */
const { PORT: port, DATABASE_URL: url = '' } = process.env;
const database = createDatabase({ url, poolSize: 10, applicationName: 'order-floor' });
const { db, inTransaction } = database;
const room = { maxOpenDeliveries: 100_000, metrics: { countBoundReached: () => {} } };
const clock = createSystemClock();
const random = createRandom();
const line = {
  name: 'Plain band',
  quantity: 1,
  unitPricePaise: paise(100_000n),
  gstPaise: paise(3000n),
  lineTotalPaise: paise(103_000n),
};

interface OrderBody {
  readonly userId: string;
  readonly sessionId: string;
  readonly idempotencyKey: string;
  readonly items: readonly { readonly productId: string }[];
}

const place = async ({ userId, sessionId, idempotencyKey, items }: OrderBody) => {
  const createdAt = clock.now();
  await findActivePhone(db, { userId, sessionId });
  const productIds = items.map(({ productId }) => productId);
  const [products] = await Promise.all([
    findOrderableProducts(db, productIds),
    gstRateBpsOn(db, createdAt),
  ]);
  const count = BigInt(items.length);
  const order = {
    id: random.uuid(),
    userId,
    lines: productIds.map((productId) => ({ ...line, productId })),
    itemsTotalPaise: paise(100_000n * count),
    gstPaise: paise(3000n * count),
    gstRateBps: bps(300n),
    deliveryFeePaise: paise(0n),
    totalPaise: paise(103_000n * count),
    shippingAddressSealed: 'x'.repeat(280),
    createdAt,
    key: { idempotencyKey, payloadHash: 'x'.repeat(64) },
    requestId: idempotencyKey,
  };
  const ids = [random.uuid(), ...items.map(() => random.uuid())];
  const unchangedProducts = lockUnchangedProductsSql(products);
  const outcome = await inTransaction(async (tx) => {
    await requireDeliveryLimits(room, tx, order, { maxOpenDeliveryPaise: paise(10n ** 15n) });
    return insertProductOrder(tx, order, { unchangedProducts, ids });
  });
  if (outcome !== 'placed') throw new Error(outcome);
  return order.id;
};

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json());
app.get('/health', (_req, res) => {
  res.json({ status: 'ok' });
});
app.post('/v1/product-orders', async (req, res) => {
  const id = await place(req.body as OrderBody); // only the benchmark sends requests
  res.status(201).json({ id, status: 'PLACED' });
});
createServer(app).listen(Number(port), '127.0.0.1');
