import type { AdminClient } from '@digital-gold/client';
import type { Demo, Step } from '../demo.types.ts';
import { makeUpNumbers } from '../demo-numbers.ts';
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

/** A customer's ticket: resolved with an answer, which its writer reads, and written to again. */
const answerTicket = async (demo: Demo, operator: AdminClient): Promise<string> => {
  const { accessToken, fullName } = demo.readState('customer');
  // From a computer: a rate limit counts the requests of the phone.
  const visitor = demo.visitor.customer(makeUpNumbers(demo.random).ip);
  const api = visitor.with({ token: accessToken });
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
  const answer = 'It is at your order, under "invoice".';
  const move = (body: { status: 'IN_PROGRESS' | 'RESOLVED'; note?: string; answer?: string }) =>
    operator.patch('/v1/support/tickets/{reference}', { path, body });
  await move({ status: 'IN_PROGRESS', note });
  await move({ status: 'RESOLVED', answer });
  const { body: seen } = await api.post('/v1/support/tickets/{reference}/thread', {
    path,
    body: {},
  });
  expectThat(seen.status === 'RESOLVED', `the ticket reads ${seen.status}`);
  const said = seen.messages.map(({ text }) => text);
  expectThat(said.includes(answer) && !said.includes(note), `the thread reads ${said.join(', ')}`);
  const guess = { contact: 'somebody@example.test' };
  const guessed = visitor.post('/v1/support/tickets/{reference}/thread', { path, body: guess });
  await expectRefusal(404, 'NOT_FOUND', guessed);
  const body = { message: 'Found it, thank you.' };
  const written = await expectStatus(
    201,
    api.post('/v1/support/tickets/{reference}/messages', { path, body }),
  );
  await move({ status: 'RESOLVED' });
  return (
    `ticket ${reference}: due ${seen.dueAt ?? 'never'}, the customer reads the answer and no ` +
    `note, and writes again: ${written.status}; a stranger's guess is 404`
  );
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
