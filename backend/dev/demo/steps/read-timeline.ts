import { z } from 'zod';
import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { orderWire, paymentWire } from '../wire.ts';

const timelineWire = orderWire.extend({
  user_id: z.uuid(),
  provider_amount_paise: z.int().nullable(),
  payments: z.array(paymentWire),
  events: z.array(
    z.object({
      from: z.string().nullable(),
      to: z.string(),
      cause: z.string(),
      actor: z.string(),
      at: z.iso.datetime(),
    }),
  ),
});

/** Every move of an order is on record: what, why, and who. */
export const readTimeline: Step = {
  title: "The operator reads the order's history",
  async run(demo) {
    const { body } = await demo.recall('operator').api.ask({
      method: 'GET',
      path: `/orders/${demo.recall('buy').order.id}`,
      read: timelineWire,
    });
    const moves = body.events.map(({ to }) => to).join(' -> ');
    expectThat(moves === 'PENDING -> PAID -> ALLOCATED', `its history is ${moves}`);
    expectThat(body.payments.length === 1, `it has ${body.payments.length} payment orders`);
    return body.events.map(
      ({ at, to, cause, actor }) => `${at}  ${to.padEnd(10)} ${cause} by ${actor}`,
    );
  },
};
