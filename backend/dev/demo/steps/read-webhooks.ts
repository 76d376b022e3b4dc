import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { signInOperator } from './sign-in-operator.ts';

/** Shows operators the events of the gateways, each kept as it came and applied once. */
export const readWebhooks: Step = {
  title: 'An operator looks at what the gateways sent',
  async run(demo) {
    const { operator } = await signInOperator(demo, 'ADMIN');
    const query = { status: 'APPLIED', limit: 5 } as const;
    const { body: events } = await operator.api.get('/v1/webhook-events', { query });
    const { id, source, eventType } = expectPresent(events.items[0], 'applied event');
    const path = { id };
    const { body: event } = await operator.api.get('/v1/webhook-events/{id}', { path });
    const text = JSON.stringify(event);
    const { phone } = demo.readState('customer').numbers;
    expectThat(!text.includes(phone.slice(-10)), 'the event shows the number of the customer');
    const replay = operator.api.post('/v1/webhook-events/{id}/replay', { path });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', replay);
    return [
      `${events.total} events are applied, the newest ${source} ${eventType ?? ''}, its body masked`,
      'one that is applied is not applied again: 409',
    ];
  },
};
