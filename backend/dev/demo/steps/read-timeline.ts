import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';

/** Every move of an order is on record: what, why, and who. */
export const readTimeline: Step = {
  title: "The operator reads the order's history",
  async run(demo) {
    const path = { id: demo.recall('buy').order.id };
    const { body } = await demo.recall('operator').api.get('/v1/orders/{id}', { path });
    const moves = body.events.map(({ to }) => to).join(' -> ');
    expectThat(moves === 'PENDING -> PAID -> ALLOCATED', `its history is ${moves}`);
    expectThat(body.payments.length === 1, `it has ${body.payments.length} payment orders`);
    return body.events.map(
      ({ at, to, cause, actor }) => `${at}  ${to.padEnd(10)} ${cause} by ${actor}`,
    );
  },
};
