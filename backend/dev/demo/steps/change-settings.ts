import type { AdminClient } from '@digital-gold/client';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { signInOperator } from './sign-in-operator.ts';

/** Lowers the most that one buy may cost: it binds at the customer's next request. */
const lowerLimit = async (demo: Demo, operator: AdminClient): Promise<string> => {
  const { api } = demo.readState('customer');
  const quote = () => api.post('/v1/gold/quote', { body: { unit: 'INR', amount: '1000' } });
  const { body: limits } = await operator.get('/v1/config/limits');
  const lowered = { ...limits, maxBuyPaise: 99_999 };
  await operator.put('/v1/config/limits', { body: lowered });
  try {
    await expectRefusal(400, 'LIMIT_EXCEEDED', quote());
  } finally {
    await operator.put('/v1/config/limits', { body: limits });
  }
  await expectStatus(201, quote());
  return `at most ${showPaise(lowered.maxBuyPaise)} a buy: refused at once, and allowed again`;
};

/** Puts a banner up, which everybody sees, and takes it down. */
const showBanner = async (demo: Demo, operator: AdminClient): Promise<string> => {
  const visitor = demo.visitor.customer(demo.readState('customer').numbers.ip);
  const id = `demo-${demo.random.uuid()}`;
  const isLive = async () =>
    (await visitor.get('/v1/public/banners')).body.items.some((banner) => banner.id === id);
  const put = (active: boolean) => {
    const body = { title: 'Akshaya Tritiya', linkUrl: '/gold', active };
    return operator.put('/v1/config/banners/{id}', { path: { id }, body });
  };
  await put(true);
  expectThat(await isLive(), 'the banner is not live');
  await put(false);
  expectThat(!(await isLive()), 'the banner is still live');
  return 'a banner is live at once, and gone at once';
};

/** A customer's ticket, answered with a note and resolved. */
const answerTicket = async (demo: Demo, operator: AdminClient): Promise<string> => {
  const { api, fullName } = demo.readState('customer');
  const { reference } = await expectStatus(
    201,
    api.post('/v1/support/tickets', {
      body: {
        name: fullName,
        category: 'CONTACT',
        subject: 'My invoice',
        message: 'Where do I find the invoice of my purchase?',
      },
    }),
  );
  const { body: found } = await operator.get('/v1/support/tickets', { query: { q: reference } });
  expectPresent(found.items[0], 'ticket');
  const path = { reference };
  const note = 'Told where invoices are.';
  for (const status of ['IN_PROGRESS', 'RESOLVED'] as const) {
    await operator.patch('/v1/support/tickets/{reference}', { path, body: { status, note } });
  }
  const { body: seen } = await api.get('/v1/support/tickets/{reference}', { path });
  expectThat(seen.status === 'RESOLVED', `the ticket reads ${seen.status}`);
  return `ticket ${reference}: answered, and the customer sees that it is ${seen.status}`;
};

/** A change by an operator counts at once, on every replica. */
export const changeSettings: Step = {
  title: 'A super admin changes a limit and a banner, and answers a ticket',
  async run(demo) {
    const { api } = (await signInOperator(demo, 'SUPER_ADMIN')).operator;
    return [
      await lowerLimit(demo, api),
      await showBanner(demo, api),
      await answerTicket(demo, api),
    ];
  },
};
