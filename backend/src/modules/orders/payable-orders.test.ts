import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { jobsOf } from '#test/support/job-queue.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { createLogger } from '../../platform/observability/index.ts';
import { createNotify } from '../notifications/index.ts';
import type { Db } from '../../platform/db/index.ts';
import {
  lockPayableOrder,
  markOrderFailed,
  markOrderPaid,
  sendBuyToReview,
  type OrderDeps,
  type PayableOrder,
} from './payable-orders.ts';

const lines: string[] = [];
let deps: OrderDeps;
const it = goldTest({
  // The tests change the orders directly, without payments or a gateway.
  breaks: [
    'an order that has its money has it from exactly one payment',
    'the states of an order and its payment order agree',
  ],
});
it.beforeAll(({ open }) => {
  const { clock } = open;
  const random = createRandom();
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', name: 'test', destination });
  deps = { clock, random, logger, notify: createNotify({ clock, random }) };
});

let keys = 0;
const place = async (open: OpenGold): Promise<string> => {
  const { call } = await open.newCustomer();
  keys += 1;
  const buy = { unit: 'INR', amount: '500', idempotency_key: `settlement-${keys}` };
  return (await call('POST', '/gold/buy', buy)).body.order.id;
};
const info = { cause: 'payment.captured', actor: 'gateway:sandbox', requestId: 'req-1' };
type Step = (db: Db, order: PayableOrder) => Promise<void>;
const apply = (open: OpenGold, id: string, step: Step): Promise<void> =>
  open.database.inTransaction(async (db) => step(db, await lockPayableOrder(db, id)));
const orderOf = (open: OpenGold, id: string) =>
  open.database.db.goldOrder.findUniqueOrThrow({ where: { id } });

describe('the effect of payments on an order', () => {
  it('changes it to PAID, with its history and its job in one transaction', async ({ open }) => {
    const id = await place(open);
    await apply(open, id, (db, order) => markOrderPaid(deps, db, order, info));
    expect(await orderOf(open, id)).toMatchObject({ status: 'PAID', paidAt: open.clock.now() });
    expect(await jobsOf(open.database.db, 'gold.allocate')).toEqual([
      expect.objectContaining({ key: `gold.allocate:${id}` }),
    ]);
    const [, event] = await open.database.db.goldOrderEvent.findMany({
      where: { orderId: id },
      orderBy: { seq: 'asc' },
    });
    expect(event).toMatchObject({ fromStatus: 'PENDING', toStatus: 'PAID', ...info });
  });

  it('changes a FAILED order to PAID', async ({ open }) => {
    const id = await place(open);
    const failed = { ...info, cause: 'payment.failed' };
    await apply(open, id, (db, order) => markOrderFailed(deps, db, order, failed));
    expect(await orderOf(open, id)).toMatchObject({
      status: 'FAILED',
      failureCode: 'PAYMENT_FAILED',
    });
    await apply(open, id, (db, order) => markOrderPaid(deps, db, order, info));
    expect(await orderOf(open, id)).toMatchObject({ status: 'PAID', failureCode: null });
  });

  it('never fails an order whose money is held, which is refused and logged', async ({ open }) => {
    const id = await place(open);
    await apply(open, id, (db, order) => markOrderPaid(deps, db, order, info));
    const failing = apply(open, id, (db, order) => markOrderFailed(deps, db, order, info));
    await expect(failing).rejects.toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    expect((await orderOf(open, id)).status).toBe('PAID');
    const refusal = lines.find((line) => line.includes(id) && line.includes('refused'));
    expect(refusal).toContain('"to":"FAILED"');
  });

  it('changes it only from the state in which it was read', async ({ open }) => {
    const id = await place(open);
    let stale: PayableOrder | undefined;
    await apply(open, id, async (_db, order) => {
      stale = order;
    });
    await apply(open, id, (db, order) => markOrderPaid(deps, db, order, info));
    const again = apply(open, id, (db, order) => markOrderPaid(deps, db, stale ?? order, info));
    await expect(again).rejects.toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    expect(await open.database.db.goldOrderEvent.count({ where: { orderId: id } })).toBe(2);
  });

  it('keeps the earlier code and reason of an order that is already under review', async ({
    open,
  }) => {
    const id = await place(open);
    await apply(open, id, (db, order) =>
      sendBuyToReview(deps, db, order, { code: 'LATE_CAPTURE', reason: 'It came late.' }, info),
    );
    await apply(open, id, (db, order) =>
      sendBuyToReview(deps, db, order, { code: 'SECOND_CAPTURE', reason: 'It came twice.' }, info),
    );
    expect(await orderOf(open, id)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manualReviewCode: 'SECOND_CAPTURE',
      manualReviewReason: 'It came twice. Before: LATE_CAPTURE, It came late.',
    });
    expect(await open.database.db.goldOrderEvent.count({ where: { orderId: id } })).toBe(2);
    const { userId } = await orderOf(open, id);
    const told = await open.database.db.notification.findMany({ where: { userId } });
    expect(told.map(({ type }) => type)).toEqual(['buy_under_review']);
  });
});
