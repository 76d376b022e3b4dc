import type { AdminClient } from '@digital-gold/client';
import { addSeconds } from '../../../src/platform/clock/clock.ts';
import { makeUpNumbers } from '../demo-numbers.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { giveGatewaysBack } from '../gateways.ts';
import type { LocalProcesses } from '../local-processes.ts';
import { signInOperator } from '../people.ts';
import { showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

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

/** Makes another super admin, as an operator with a shell would, for as long as `act` takes. */
const withSecond = async <T>(
  demo: Demo,
  local: LocalProcesses,
  act: (second: { readonly email: string; readonly password: string }) => Promise<T>,
): Promise<T> => {
  const second = {
    email: `second-${demo.random.uuid()}@example.test`,
    password: `demo-${demo.random.uuid()}`,
  };
  const { email, password } = second;
  const create = ['admin', 'create', '--email', email, '--role', 'SUPER_ADMIN'];
  await local.operate(create, password);
  try {
    return await act(second);
  } finally {
    await local.operate(['admin', 'deactivate', '--email', email], '');
  }
};

/** Asks for other limits: a request that waits, and nothing is changed. Returns its id. */
const askFor = async (by: AdminClient, maxBuyPaise: number): Promise<string> => {
  const { body: before } = await by.get('/v1/config/limits');
  const { status, body } = await by.put('/v1/config/limits', {
    body: { ...before, maxBuyPaise },
  });
  expectThat(status === 202 && 'approvalId' in body, `the change was answered with ${status}`);
  const { body: after } = await by.get('/v1/config/limits');
  expectThat(after.maxBuyPaise === before.maxBuyPaise, 'the limit changed without an approval');
  return body.approvalId;
};

const approve = (by: AdminClient, approvalId: string) =>
  by.post('/v1/approvals/{id}/approve', { path: { id: approvalId } });

/** Two super admins, at an admin API that lists limits. */
const playTwo = async (demo: Demo, first: AdminClient, second: AdminClient): Promise<string[]> => {
  const { body: limits } = await first.get('/v1/config/limits');
  const lowered = limits.maxBuyPaise - 100;
  const id = await askFor(first, lowered);
  await expectRefusal(403, 'OTHER_PERSON_REQUIRED', approve(first, id));
  await approve(second, id);
  const visitor = demo.visitor.customer(makeUpNumbers(demo.random).ip);
  const { body: shown } = await visitor.get('/v1/config');
  expectThat(shown.limits.maxBuyPaise === lowered, 'customers see another limit');
  await expectRefusal(409, 'ILLEGAL_TRANSITION', approve(second, id));
  await approve(first, await askFor(second, limits.maxBuyPaise));
  return [
    `${showPaise(limits.maxBuyPaise)} a buy to ${showPaise(lowered)}: 202, and nothing changes`,
    'whoever asked may not approve: 403 OTHER_PERSON_REQUIRED; the other one may, once',
    'customers see the new limit at once; the way back takes two as well',
  ];
};

/**
 * On a local stack one person plays everybody, so it lists no action. This step starts a second
 * admin API that does.
 */
export const askSecondPerson: Step = {
  title: 'In a house that asks for it, a second super admin approves new limits',
  async run(demo) {
    const { local } = demo;
    if (local === undefined) return ['left out: the processes are not on this machine'];
    return withSecond(demo, local, async ({ email, password }) => {
      const strict = await local.startAdmin({ SECOND_OPERATOR_ACTIONS: 'limits' });
      try {
        const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
        const visitor = demo.visitor.admin(makeUpNumbers(demo.random).ip, strict.url);
        const { body } = await visitor.post('/v1/auth/login', { body: { email, password } });
        const first = visitor.with({ token: operator.accessToken });
        return await playTwo(demo, first, visitor.with({ token: body.accessToken }));
      } finally {
        await strict.stop();
      }
    });
  },
};

const daySeconds = 24 * 3600;

/**
 * Evidence that is about to end causes a warning. Once its last day is removed, its earlier state
 * holds again at once.
 */
export const renewEvidence: Step = {
  title: 'A super admin gives evidence a last day, and takes it away again',
  async run(demo) {
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const item = 'merchant_tax_registration' as const;
    const read = async () => {
      const { body } = await operator.api.get('/v1/readiness');
      const found = body.items.find(({ id }) => id === item);
      return expectPresent(found, item);
    };
    const { evidence, status: before } = await read();
    const { value, reference, verified, expiresOn } = expectPresent(evidence, 'evidence');
    const put = (day?: string) =>
      operator.api.put('/v1/readiness/evidence/{item}', {
        path: { item },
        body: { value, reference, verified, ...(day !== undefined && { expiresOn: day }) },
      });
    // A day on from the buy of this story is today or tomorrow, in India too.
    const { order } = demo.readState('buy');
    const soon = addSeconds(new Date(order.created_at), daySeconds).toISOString().slice(0, 10);
    await put(soon);
    const ending = await read();
    expectThat(ending.warning !== undefined, 'nothing warns of evidence that ends');
    await put(expiresOn ?? undefined);
    const after = await read();
    expectThat(after.status === before, `the item is ${after.status}, and was ${before}`);
    return [
      `with ${soon} as its last day: ${ending.status}, and ${ending.warning}`,
      `given back as it was: ${after.status}`,
    ];
  },
};

/** Returns the stack to its state before the chapter. */
export const putBack: Step = {
  title: 'The payment gateways are as they were',
  async run(demo) {
    const before = demo.readState('gatewaysBefore');
    await giveGatewaysBack(demo, before);
    const usual = before.items.find(({ isDefault }) => isDefault);
    return [`default ${usual?.code ?? 'none'}, priority ${before.priority.join(', ') || 'none'}`];
  },
};
