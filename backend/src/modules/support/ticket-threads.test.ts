import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, createCaller, type Caller } from '#test/support/caller.ts';
import type { MadeAdmin } from '#test/support/factories.ts';
import { openApis, type OpenApis } from '#test/support/open-apis.ts';
import { createVault, parseKeyring } from '../../platform/crypto/index.ts';
import { readAttention } from '../reports/attention.read-model.ts';
import { countOutdatedNotes, createTicketPurge, keepOpenTickets, resealNotes } from './index.ts';

let open: OpenApis;
let operators: readonly MadeAdmin[];

const contactDays = 5;
const dayMs = 24 * 60 * 60_000;

beforeAll(async () => {
  // The number of days is unusual, so that the tests recognise it.
  open = await openApis({ TICKET_ANSWER_DAYS: String(contactDays) });
  await startShift();
});
afterAll(() => open.close());

/** Signs two operators in. Their tokens are valid for eight hours. */
const startShift = async (): Promise<void> => {
  const { factories } = open;
  operators = [await factories.admin('SUPPORT'), await factories.admin('ADMIN')];
};
const advance = async (ms: number): Promise<void> => {
  open.system.clock.advance(ms);
  await startShift();
};

const desk = (at = 0): Caller => bearerCaller(open.adminUrl, operators[at]?.token);

let addresses = 0;
/** Returns a caller with its own IP address, which is signed in if a token is given. */
const visitor = (token?: string): Caller =>
  createCaller(open.url, {
    'x-forwarded-for': `198.51.100.${(addresses += 1)}`,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  });

const content = {
  name: 'Asha Rao',
  email: 'Asha.Rao@example.test',
  phone: '9812345678',
  category: 'GRIEVANCE',
  subject: 'My payout',
  message: 'It has not come.',
};
const openTicket = async (call: Caller, changes: object = {}): Promise<string> => {
  const { status, body } = await call('POST', '/support/tickets', { ...content, ...changes });
  expect(status).toBe(201);
  return String(body['reference']);
};
const read = (call: Caller, reference: string, contact?: string) =>
  call('POST', `/support/tickets/${reference}/thread`, {
    ...(contact !== undefined && { contact }),
  });
const write = (call: Caller, reference: string, message: string, contact?: string) =>
  call('POST', `/support/tickets/${reference}/messages`, {
    message,
    ...(contact !== undefined && { contact }),
  });
const texts = (body: Readonly<Record<string, unknown>>) =>
  (body['messages'] as { author: string; text: string | null }[]).map(
    ({ author, text }) => `${author}: ${text ?? '-'}`,
  );
const move = (reference: string, status: string, more: object = {}) =>
  desk()('PATCH', `/support/tickets/${reference}`, { status, ...more });

describe('the thread of a ticket', () => {
  it('is read and continued by its customer, with answers but without notes', async () => {
    const { userId, token } = await open.factories.customer();
    const call = visitor(token);
    const reference = await openTicket(call);
    const answered = await desk()('POST', `/support/tickets/${reference}/messages`, {
      message: 'We asked the bank.',
    });
    expect(answered).toMatchObject({
      status: 201,
      body: { status: 'IN_PROGRESS', assignee: { id: operators[0]?.adminId } },
    });
    open.system.clock.advance(1000);
    await move(reference, 'RESOLVED', { note: 'Bank was late', answer: 'It was sent again.' });
    const { body } = await read(call, reference);
    expect(body).toMatchObject({ reference, status: 'RESOLVED', subject: 'My payout' });
    expect(texts(body)).toEqual([
      'CUSTOMER: It has not come.',
      'OPERATOR: We asked the bank.',
      'OPERATOR: It was sent again.',
    ]);
    const shown = JSON.stringify(body);
    expect(shown).not.toContain('Bank was late');
    expect(shown).not.toContain(operators[0]?.email);
    const told = await open.system.db.notification.findMany({ where: { userId } });
    expect(told.map(({ type }) => type)).toEqual(['ticket_answered', 'ticket_answered']);

    open.system.clock.advance(1000);
    const again = await write(call, reference, 'Still not there.');
    expect(again).toMatchObject({ status: 201, body: { status: 'IN_PROGRESS' } });
    const seen = await desk()('GET', `/support/tickets/${reference}`);
    expect(texts(seen.body)).toEqual([
      'OPERATOR: We asked the bank.',
      'OPERATOR: It was sent again.',
      'CUSTOMER: Still not there.',
    ]);
    const notes = seen.body['notes'] as { from: string; to: string; actor: object | null }[];
    expect(notes.at(-1)).toMatchObject({ from: 'RESOLVED', to: 'IN_PROGRESS', actor: null });
    const list = await open.as(token)('GET', '/support/tickets');
    expect(list.body).toMatchObject({ total: 1, items: [{ reference, status: 'IN_PROGRESS' }] });
    expect((await visitor()('GET', '/support/tickets')).status).toBe(401);
    const foreign = (await open.customer()).call;
    expect((await foreign('GET', '/support/tickets')).body).toMatchObject({ total: 0 });
  });

  it('is read by reference and contact without signing in', async () => {
    const guest = visitor();
    const reference = await openTicket(guest);
    await move(reference, 'IN_PROGRESS', { answer: 'Hello.' });
    for (const contact of ['asha.rao@example.test', '9812345678', '+919812345678']) {
      const { status, body } = await read(visitor(), reference, contact);
      expect(status).toBe(200);
      expect(texts(body)).toEqual(['CUSTOMER: It has not come.', 'OPERATOR: Hello.']);
    }
    const written = await write(guest, reference, 'Thank you.', 'asha.rao@example.test');
    expect(texts(written.body)).toContain('CUSTOMER: Thank you.');
    const stored = await open.system.db.supportTicketMessage.findMany({
      where: { ticket: { reference } },
    });
    expect(stored.every(({ purgeAfter }) => purgeAfter !== null)).toBe(true);
    expect(stored.some(({ bodySealed }) => bodySealed?.includes('Thank you'))).toBe(false);
  });

  it('is the same 404 for wrong contacts, foreign tokens and unknown references', async () => {
    const { token } = await open.factories.customer();
    const stranger = await open.factories.customer();
    const own = await openTicket(visitor(token), { email: undefined, phone: undefined });
    const guests = await openTicket(visitor());
    const refusals = [
      await read(visitor(), guests),
      await read(visitor(), guests, 'other@example.test'),
      await read(visitor(), guests, '9812345679'),
      await read(visitor(), 'DG-AAAAAAAA', 'asha.rao@example.test'),
      await read(visitor(stranger.token), own),
      await read(visitor(), own, 'asha.rao@example.test'),
      await write(visitor(), guests, 'Let me in', 'other@example.test'),
      await write(visitor(stranger.token), own, 'Let me in'),
    ];
    const bodies = refusals.map(({ status, body }) => {
      const { requestId: _id, ...error } = Object(body['error']);
      return { status, error };
    });
    for (const one of bodies) expect(one).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });

  it('limits the attempts from an address and for a ticket, including right ones', async () => {
    const reference = await openTicket(visitor());
    const thief = visitor();
    for (let turn = 0; turn < 20; turn += 1) {
      expect((await read(thief, reference, `a${turn}@example.test`)).status).toBe(404);
    }
    const right = await read(thief, reference, content.email);
    expect(right).toMatchObject({ status: 429, code: 'TICKET_LIMIT' });
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect((await read(visitor(), reference, content.email)).status).toBe(200);
    // Each of the other 39 requests comes from another address.
    await Promise.all(
      Array.from({ length: 39 }, (_, at) => read(visitor(), reference, `b${at}@example.test`)),
    );
    expect((await read(visitor(), reference, content.email)).code).toBe('TICKET_LIMIT');
  });

  it('accepts twenty messages an hour, and none after it is closed', async () => {
    const { token } = await open.factories.customer();
    const call = visitor(token);
    const reference = await openTicket(call);
    for (let turn = 0; turn < 20; turn += 1) {
      expect((await write(call, reference, `Message ${turn}`)).status).toBe(201);
    }
    expect((await write(call, reference, 'One more')).code).toBe('TICKET_LIMIT');
    const other = await openTicket(call);
    for (const status of ['IN_PROGRESS', 'RESOLVED', 'CLOSED']) await move(other, status);
    expect(await write(call, other, 'Again')).toMatchObject({
      status: 409,
      code: 'ILLEGAL_TRANSITION',
    });
    const late = await desk()('POST', `/support/tickets/${other}/messages`, { message: 'Late' });
    expect(late.code).toBe('ILLEGAL_TRANSITION');
  });
});

describe('the due date and the assignee of a ticket', () => {
  it('are found by filters, and the due date depends on the category', async () => {
    const { db, clock } = open.system;
    const [grievance, contact] = [
      await openTicket(visitor()),
      await openTicket(visitor(), { category: 'CONTACT' }),
    ];
    const dueOf = async (reference: string) => {
      const { body } = await desk()('GET', `/support/tickets/${reference}`);
      return Date.parse(String(body['dueAt'])) - Date.parse(String(body['createdAt']));
    };
    expect(await dueOf(grievance)).toBe(30 * dayMs);
    expect(await dueOf(contact)).toBe(contactDays * dayMs);
    const found = async (due: string) => {
      const { body } = await desk()('GET', `/support/tickets?due=${due}&limit=100`);
      return (body['items'] as { reference: string }[]).map(({ reference }) => reference);
    };
    const waiting = async (kind: string) =>
      (await readAttention(db, clock.now())).find((one) => one.kind === kind)?.count ?? 0;
    expect(await found('soon')).not.toContain(contact);
    await advance((contactDays - 2) * dayMs);
    expect(await found('soon')).toContain(contact);
    expect(await waiting('ticket_due')).toBe((await found('soon')).length);
    await advance(3 * dayMs);
    expect(await found('overdue')).toContain(contact);
    expect(await found('overdue')).not.toContain(grievance);
    expect(await waiting('ticket_overdue')).toBe((await found('overdue')).length);
    const { body } = await desk()('GET', `/support/tickets/${contact}`);
    expect(body).toMatchObject({ overdue: true });
    await move(contact, 'IN_PROGRESS');
    await move(contact, 'RESOLVED');
    expect(await found('overdue')).not.toContain(contact);
  });

  it('can be set, searched and removed, with audit rows', async () => {
    const reference = await openTicket(visitor());
    const assign = (adminId: string | null) =>
      desk()('PUT', `/support/tickets/${reference}/assignee`, { adminId });
    const other = operators[1]?.adminId ?? '';
    expect(await assign(other)).toMatchObject({ status: 200, body: { assignee: { id: other } } });
    const { body } = await desk()('GET', `/support/tickets?assignee=${other}`);
    expect(body).toMatchObject({ total: 1, items: [{ reference }] });
    // An operator who starts to work on the ticket does not become its assignee.
    expect((await move(reference, 'IN_PROGRESS')).body).toMatchObject({ assignee: { id: other } });
    expect((await assign(null)).body).toMatchObject({ assignee: null });
    const none = await desk()('GET', '/support/tickets?assignee=none&limit=100');
    expect(JSON.stringify(none.body)).toContain(reference);
    const unknown = await assign(open.system.random.uuid());
    expect(unknown).toMatchObject({ status: 400, field: 'adminId' });
    const rows = await open.system.db.auditLog.findMany({
      where: { targetId: reference, action: 'support.tickets.assign' },
    });
    expect(rows).toHaveLength(2);
  });
});

describe('the erasure of tickets', () => {
  it('spares open tickets, and erases the others 30 days after their end', async () => {
    const { system } = open;
    const guest = visitor();
    const reference = await openTicket(guest);
    await move(reference, 'IN_PROGRESS', { note: 'A note', answer: 'An answer' });
    const purge = createTicketPurge(system);
    const erase = async () => {
      while ((await purge.deleteBatch(100)) > 0);
      const { body } = await desk()('GET', `/support/tickets/${reference}`);
      return body;
    };
    await advance(60 * dayMs);
    expect(await erase()).toMatchObject({ name: 'Asha Rao', messages: [{ text: 'An answer' }] });
    await move(reference, 'RESOLVED', { answer: 'Done' });
    await advance(29 * dayMs);
    expect(await erase()).toMatchObject({ name: 'Asha Rao' });
    expect((await read(visitor(), reference, content.email)).status).toBe(200);
    await advance(2 * dayMs);
    expect(await erase()).toMatchObject({
      name: null,
      message: null,
      messages: [{ text: null }, { text: null }],
      notes: [{ note: null }, { note: null }],
    });
    expect((await read(visitor(), reference, content.email)).status).toBe(404);
  });

  it('spares the open ticket of a deleted customer, whose service seal is renewed', async () => {
    const { system, factories } = open;
    const { userId, token } = await factories.customer();
    const call = visitor(token);
    const [waiting, ended] = [await openTicket(call), await openTicket(call)];
    await write(call, waiting, 'Please hurry.');
    await move(waiting, 'IN_PROGRESS', { note: 'Asked the bank' });
    for (const status of ['IN_PROGRESS', 'RESOLVED']) await move(ended, status);
    await system.inTransaction(async (tx) => {
      await keepOpenTickets(system, tx, { userId, at: system.clock.now() });
      await system.vault.destroyUser(tx, userId);
    });
    const kept = await desk()('GET', `/support/tickets/${waiting}`);
    expect(kept.body).toMatchObject({
      userId,
      message: content.message,
      messages: [{ text: 'Please hurry.' }],
      notes: [{ note: 'Asked the bank' }],
    });
    expect((await desk()('GET', `/support/tickets/${ended}`)).body).toMatchObject({
      message: null,
    });
    // The author has no token any more, but can still read the answer.
    await desk()('POST', `/support/tickets/${waiting}/messages`, { message: 'It is there.' });
    const thread = await read(visitor(), waiting, content.email);
    expect(texts(thread.body).at(-1)).toBe('OPERATOR: It is there.');

    const next = createVault({
      keyring: parseKeyring(
        [`k2:${Buffer.from('second'.padEnd(32, 'x')).toString('base64')}`]
          .concat(`k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`)
          .join(','),
      ),
    });
    const { signal } = new AbortController();
    await resealNotes({ vault: next, inTransaction: system.inTransaction }, signal);
    expect(await countOutdatedNotes(system.db, next.keyId)).toBe(0);
  });
});
