import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller } from '#test/support/caller.ts';
import { openApis, type OpenApis } from '#test/support/open-apis.ts';
import { createTicketPurge } from './index.ts';

let open: OpenApis;
beforeAll(async () => {
  open = await openApis();
});
afterAll(() => open.close());

let addresses = 0;
const newAddress = (): string => `198.51.100.${(addresses += 1)}`;
const from = (ip: string, headers: Readonly<Record<string, string>> = {}) =>
  createCaller(open.url, { 'x-forwarded-for': ip, ...headers });

const ticket = {
  name: 'Asha Rao',
  email: 'asha.rao@example.test',
  phone: '9812345678',
  category: 'GRIEVANCE',
  subject: 'My payout',
  message: 'It has not come.\nPlease look into it.',
};
const post = (ip: string, body: object = ticket, headers?: Readonly<Record<string, string>>) =>
  from(ip, headers)('POST', '/support/tickets', body);
const openTicket = async (headers?: Readonly<Record<string, string>>) => {
  const { status, body } = await post(newAddress(), ticket, headers);
  expect(status).toBe(201);
  const reference = String(body['reference']);
  const row = await open.system.db.supportTicket.findUniqueOrThrow({ where: { reference } });
  return { reference, row };
};

const contextOf = (name: string, row: string) => ({
  purpose: 'support',
  column: `support_ticket.${name}`,
  row,
});

describe('a ticket', () => {
  it('can be opened without signing in, and its reference shows only the state', async () => {
    const { reference } = await openTicket();
    expect(reference).toMatch(/^DG-[A-HJ-KM-NP-Z2-9]{8}$/u);
    const call = from(newAddress());
    const { status, body } = await call('GET', `/support/tickets/${reference}`);
    expect({ status, body }).toEqual({ status: 200, body: { status: 'OPEN' } });
    for (const other of ['DG-AAAAAAAA', 'DG-0O1IL000', reference.toLowerCase(), 'x']) {
      expect((await call('GET', `/support/tickets/${other}`)).code).toBe('NOT_FOUND');
    }
  });

  it('is sealed with the service key without a valid token, and erased in time', async () => {
    const { system } = open;
    const { row } = await openTicket();
    const { row: forged } = await openTicket({ authorization: 'Bearer forged' });
    expect(forged.userId).toBeNull();
    const text = JSON.stringify(row);
    for (const word of ['Asha', 'example.test', '9812345678', 'payout', 'look into']) {
      expect(text).not.toContain(word);
    }
    const { service } = system.vault;
    expect(service.open(row.messageSealed ?? '', contextOf('message', row.id))).toBe(
      ticket.message,
    );
    expect(service.open(row.phoneSealed ?? '', contextOf('phone', row.id))).toBe('+919812345678');
    const contentOf = async () => {
      const found = await system.db.supportTicket.findUniqueOrThrow({ where: { id: row.id } });
      const { nameSealed, emailSealed, phoneSealed, subjectSealed, messageSealed } = found;
      return [nameSealed, emailSealed, phoneSealed, subjectSealed, messageSealed];
    };
    const purge = createTicketPurge(system);
    const day = 24 * 60 * 60_000;
    system.clock.advance(40 * day);
    expect(await purge.deleteBatch(100)).toBe(0);
    const purgeAfter = new Date(system.clock.now().getTime() + 30 * day);
    const data = { status: 'RESOLVED', purgeAfter };
    await system.db.supportTicket.update({ where: { id: row.id }, data });
    system.clock.advance(30 * day - 60_000);
    expect(await purge.deleteBatch(100)).toBe(0);
    expect(await contentOf()).not.toContain(null);
    system.clock.advance(2 * 60_000);
    expect(await purge.deleteBatch(100)).toBeGreaterThan(0);
    expect(await contentOf()).toEqual([null, null, null, null, null]);
  });

  it('is sealed with the key of a signed-in customer, and kept', async () => {
    const { system, factories } = open;
    const { userId, token } = await factories.customer();
    const { row } = await openTicket({ authorization: `Bearer ${token}` });
    expect(row).toMatchObject({ userId, purgeAfter: null });
    const sealer = await system.vault.forUser(system.db, userId);
    expect(sealer.open(row.nameSealed ?? '', contextOf('name', row.id))).toBe('Asha Rao');
    await system.vault.destroyUser(system.db, userId);
    const { row: later } = await openTicket({ authorization: `Bearer ${token}` });
    expect(later.userId).toBeNull();
  });

  it('is refused with its field if a field is invalid', async () => {
    const ip = newAddress();
    const wrong: readonly [string, unknown][] = [
      ['name', ''],
      ['name', 'a\u0000b'],
      ['email', 'nobody'],
      ['phone', '123'],
      ['category', 'PRAISE'],
      ['subject', '   '],
      ['subject', 'two\nlines'],
      ['message', 'x'.repeat(5001)],
      ['message', undefined],
    ];
    for (const [field, value] of wrong) {
      const answer = await post(ip, { ...ticket, [field]: value });
      expect(answer, `${field} ${String(value)}`).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
        field,
      });
    }
    const { name, category, subject, message } = ticket;
    expect((await post(ip, { name, category, subject, message })).status).toBe(201);
  });
});

describe('tickets of one address', () => {
  it('are at most 5 an hour, even concurrently, and other addresses are not affected', async () => {
    const ip = newAddress();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(ip)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    const refused = await post(ip);
    expect(refused).toMatchObject({ status: 429, code: 'TICKET_LIMIT' });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3000);
    expect(seconds).toBeLessThanOrEqual(3600);
    expect((await post(newAddress())).status).toBe(201);
  });

  it('are counted for the /64 of an IPv6 address', async () => {
    for (let host = 1; host <= 5; host += 1) await post(`2001:db8:1:2::${host}`);
    expect((await post('2001:db8:1:2::99')).status).toBe(429);
    expect((await post('2001:db8:1:3::1')).status).toBe(201);
  });
});
