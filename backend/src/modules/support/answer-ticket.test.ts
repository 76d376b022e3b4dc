import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, createCaller, type Caller } from '#test/support/caller.ts';
import type { MadeAdmin } from '#test/support/factories.ts';
import { openApis, type OpenApis } from '#test/support/open-apis.ts';
import { createVault, parseKeyring } from '../../platform/crypto/index.ts';
import { countOutdatedNotes, createTicketPurge, resealNotes } from './index.ts';

let open: OpenApis;
let operators: readonly MadeAdmin[];
let ask: Caller;

beforeAll(async () => {
  open = await openApis();
  const { factories } = open;
  operators = [
    await factories.admin('SUPER_ADMIN'),
    await factories.admin('ADMIN'),
    await factories.admin('SUPPORT'),
  ];
  ask = bearerCaller(open.adminUrl, operators[2]?.token);
});
afterAll(() => open.close());

const content = {
  name: 'Asha Rao',
  email: 'asha.rao@example.test',
  category: 'GRIEVANCE',
  subject: 'My payout',
  message: 'It has not come.',
};

let addresses = 0;
const openTicket = async (token?: string, changes: object = {}): Promise<string> => {
  const call = createCaller(open.url, {
    'x-forwarded-for': `198.51.100.${(addresses += 1)}`,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  });
  const { body } = await call('POST', '/support/tickets', { ...content, ...changes });
  return String(body['reference']);
};

const patch = (reference: string, status: string, note?: string) =>
  ask('PATCH', `/support/tickets/${reference}`, { status, ...(note !== undefined && { note }) });
const read = async (reference: string) => (await ask('GET', `/support/tickets/${reference}`)).body;
const eventsOf = (reference: string) =>
  open.system.db.supportTicketEvent.findMany({
    where: { ticket: { reference } },
    orderBy: [{ at: 'asc' }, { id: 'asc' }],
  });

describe('a ticket', () => {
  it('is read, answered with notes and closed by operators, and others see only its state', async () => {
    const { userId, token } = await open.factories.customer();
    const reference = await openTicket(token);
    expect(await read(reference)).toMatchObject({
      reference,
      userId,
      status: 'OPEN',
      name: 'Asha Rao',
      email: 'asha.rao@example.test',
      phone: null,
      subject: 'My payout',
      message: 'It has not come.',
      notes: [],
    });
    expect(await patch(reference, 'IN_PROGRESS', 'Asked the bank for Asha')).toMatchObject({
      status: 200,
      body: { status: 'IN_PROGRESS' },
    });
    open.system.clock.advance(1000);
    await patch(reference, 'RESOLVED');
    open.system.clock.advance(1000);
    const answered = await patch(reference, 'CLOSED', 'Paid');
    const actor = { id: operators[2]?.adminId, email: operators[2]?.email };
    expect(answered.body['notes']).toMatchObject([
      { from: 'OPEN', to: 'IN_PROGRESS', actor, note: 'Asked the bank for Asha' },
      { from: 'IN_PROGRESS', to: 'RESOLVED', actor, note: null },
      { from: 'RESOLVED', to: 'CLOSED', actor, note: 'Paid' },
    ]);
    const shown = await createCaller(open.url)('GET', `/support/tickets/${reference}`);
    expect(shown.body).toEqual({ status: 'CLOSED' });
    const audit = await open.system.db.auditLog.findMany({
      where: { targetId: reference },
      orderBy: { seq: 'asc' },
    });
    expect(audit).toHaveLength(3);
    expect(audit[0]).toMatchObject({
      action: 'support.tickets.update',
      before: { status: 'OPEN' },
      after: { status: 'IN_PROGRESS' },
      sealedForUserId: userId,
    });
    const stored = [...audit, ...(await eventsOf(reference))];
    const text = JSON.stringify(stored, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(text).not.toContain('Asha');
  });

  it('changes only along its table, for every role', async () => {
    const allowed = new Set([
      'OPEN>IN_PROGRESS',
      'IN_PROGRESS>RESOLVED',
      'RESOLVED>CLOSED',
      'RESOLVED>IN_PROGRESS',
    ]);
    const statuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'];
    const reference = await openTicket();
    for (const from of statuses) {
      for (const to of statuses) {
        await open.system.db.supportTicket.update({
          where: { reference },
          data: { status: from },
        });
        const before = (await eventsOf(reference)).length;
        const answer = await patch(reference, to, 'tried');
        const isAllowed = allowed.has(`${from}>${to}`);
        expect(answer.status, `${from} to ${to}`).toBe(isAllowed ? 200 : 409);
        expect(answer.code).toBe(isAllowed ? undefined : 'ILLEGAL_TRANSITION');
        expect((await eventsOf(reference)).length - before).toBe(isAllowed ? 1 : 0);
      }
    }
  });

  it('is started by one of two concurrent operators', async () => {
    const reference = await openTicket();
    const answers = await Promise.all(
      operators.map(({ token }) =>
        bearerCaller(open.adminUrl, token)('PATCH', `/support/tickets/${reference}`, {
          status: 'IN_PROGRESS',
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await eventsOf(reference)).toHaveLength(1);
  });

  it('is found by every role of operators, and refused to others', async () => {
    const reference = await openTicket();
    for (const path of ['/support/tickets', `/support/tickets/${reference}`]) {
      for (const { token } of operators) {
        expect((await bearerCaller(open.adminUrl, token)('GET', path)).status).toBe(200);
      }
      expect((await createCaller(open.adminUrl)('GET', path)).status).toBe(401);
    }
    expect((await patch('DG-AAAAAAAA', 'IN_PROGRESS')).code).toBe('NOT_FOUND');
    expect((await patch(reference, 'LOST')).status).toBe(400);
    expect(await patch(reference, 'IN_PROGRESS', ' ')).toMatchObject({
      status: 400,
      field: 'note',
    });
  });
});

describe('the list', () => {
  it('is newest first, and can be filtered by status, category, reference and customer', async () => {
    const { userId, token } = await open.factories.customer();
    const old = await openTicket(token, { category: 'CONTACT', subject: 'Hello' });
    open.system.clock.advance(1000);
    const newer = await openTicket(token);
    await patch(newer, 'IN_PROGRESS');
    const find = async (query: string) => {
      const { status, body } = await ask('GET', `/support/tickets?${query}`);
      expect(status).toBe(200);
      return (body['items'] as { reference: string }[]).map(({ reference }) => reference);
    };
    expect(await find(`q=${userId}`)).toEqual([newer, old]);
    expect(await find(`q=${userId}&status=OPEN`)).toEqual([old]);
    expect(await find(`q=${userId}&category=GRIEVANCE`)).toEqual([newer]);
    expect(await find(`q=${old.slice(3, 8).toLowerCase()}`)).toContain(old);
    expect(await find(`q=${old}`)).toEqual([old]);
    expect((await find('limit=1'))[0]).toBe(newer);
    const { body } = await ask('GET', `/support/tickets?q=${old}`);
    expect(body).toMatchObject({
      total: 1,
      items: [{ subject: 'Hello', userId, category: 'CONTACT', status: 'OPEN' }],
    });
    for (const query of ['status=LOST', 'category=X', 'q=x', 'q=%25%25', 'q=DG_', 'limit=101']) {
      expect((await ask('GET', `/support/tickets?${query}`)).status).toBe(400);
    }
  });
});

describe('a note', () => {
  it('is erased with the customer whose key sealed it, and the state stays', async () => {
    const { userId, token } = await open.factories.customer();
    const reference = await openTicket(token);
    await patch(reference, 'IN_PROGRESS', 'before');
    await open.system.vault.destroyUser(open.system.db, userId);
    await patch(reference, 'RESOLVED', 'after');
    expect(await read(reference)).toMatchObject({
      status: 'RESOLVED',
      message: null,
      notes: [{ note: null }, { note: 'after' }],
    });
    const [, last] = await eventsOf(reference);
    expect(last?.purgeAfter).not.toBeNull();
  });

  it('of a ticket without a customer is erased with it, and sealed again with a new key', async () => {
    const { system } = open;
    const reference = await openTicket();
    await patch(reference, 'IN_PROGRESS', 'a note of the stranger');
    const next = createVault({
      keyring: parseKeyring(
        ['k2:'.concat(Buffer.from('second'.padEnd(32, 'x')).toString('base64'))]
          .concat(`k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`)
          .join(','),
      ),
    });
    expect(await countOutdatedNotes(system.db, next.keyId)).toBeGreaterThan(0);
    const { signal } = new AbortController();
    const deps = { vault: next, inTransaction: system.inTransaction };
    expect(await resealNotes(deps, signal)).toBeGreaterThan(0);
    expect(await countOutdatedNotes(system.db, next.keyId)).toBe(0);
    const [event] = await eventsOf(reference);
    const context = {
      purpose: 'support',
      column: 'support_ticket_event.note',
      row: event?.id ?? '',
    };
    expect(next.service.open(event?.noteSealed ?? '', context)).toBe('a note of the stranger');

    await patch(reference, 'RESOLVED');
    const purge = createTicketPurge(system);
    system.clock.advance(31 * 24 * 3_600_000);
    expect(await purge.deleteBatch(1000)).toBeGreaterThan(1);
    expect((await eventsOf(reference)).map(({ noteSealed }) => noteSealed)).toEqual([null, null]);
    expect((await eventsOf(reference)).map(({ toStatus }) => toStatus)).toEqual([
      'IN_PROGRESS',
      'RESOLVED',
    ]);
  });
});
