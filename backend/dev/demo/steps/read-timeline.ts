import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';

/** Everything that happened to an order is on record, its transitions and the calls behind them. */
export const readTimeline: Step = {
  title: "The operator reads the order's timeline",
  async run(demo) {
    const path = { id: demo.readState('buy').order.id };
    const { body } = await demo.readState('operator').api.get('/v1/orders/{id}', { path });
    const moves = body.events.map(({ to }) => to).join(' -> ');
    expectThat(moves === 'PENDING -> PAID -> ALLOCATED', `its history is ${moves}`);
    expectThat(body.payments.length === 1, `it has ${body.payments.length} payment orders`);
    const timeline = await demo.readState('operator').api.get('/v1/orders/{id}/timeline', { path });
    const kinds = new Set(timeline.body.items.map(({ kind }) => kind));
    for (const kind of ['quote', 'provider_call', 'webhook', 'movement'] as const) {
      expectThat(kinds.has(kind), `its timeline has no ${kind}`);
    }
    const jobs = await demo.readState('operator').api.get('/v1/jobs');
    expectThat(jobs.body.total === 0, `${jobs.body.total} jobs were given up`);
    return timeline.body.items.map(
      ({ at, kind, summary }) => `${at}  ${kind.padEnd(13)} ${summary}`,
    );
  },
};
