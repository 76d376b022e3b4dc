import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { hexHmac } from '../core/credentials.ts';
import { sandboxDefaults } from '../sandbox-options.ts';
import { openSandbox, type OpenSandbox } from '../testing/open-sandbox.ts';
import { startPayout, startValidation } from '../testing/razorpayx-customer.ts';
import { receiveWebhooks, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let service: WebhookReceiver;
let open: OpenSandbox;
let start = 0;

const payoutId = '01890000-0000-7000-8000-00000000000a';
const hex = payoutId.replaceAll('-', '');
const bankAccountId = '01890000-0000-7000-8000-00000000000b';

const arrived = () => service.received.slice(start);
const events = () => arrived().map(({ event }) => event);
const eventsOf = (id: string) =>
  arrived()
    .filter(({ raw }) => raw.includes(`"${id}"`))
    .map(({ event }) => event);
const play = (path: string, body: object) => open.control('POST', path, body);

beforeAll(async () => {
  service = await receiveWebhooks();
  open = await openSandbox({
    customerBaseUrl: service.url,
    settleMs: 30,
    webhookBackoffMs: [5, 5, 5],
  });
});
beforeEach(async () => {
  await open.control('POST', '/reset');
  start = service.received.length;
});
afterAll(async () => {
  await open.stop();
  await service.stop();
});

describe('payouts that end by themselves', () => {
  it.each([
    ['123456789012', 'processed'],
    ['123456780000', 'processed'],
    ['123456788888', 'processed'],
    ['123456787777', 'failed'],
  ])('to %s are %s', async (accountNumber, status) => {
    const id = await startPayout(open, { accountNumber, key: `${hex}-1` });
    await eventually(() => expect(events()).toEqual([`payout.${status}`]));
    const [webhook] = arrived();
    const entity = { id, status, amount: 123_456, reference_id: `${hex}-1` };
    expect(JSON.parse(webhook?.raw ?? '')).toMatchObject({ payload: { payout: { entity } } });
    const { body } = await open.razorpayx('GET', `/v1/payouts/${id}`);
    expect(body['status']).toBe(status);
    expect(body['utr'] === null).toBe(status === 'failed');
  });

  it('stay open to an account that ends in 9999', async () => {
    await startPayout(open, { accountNumber: '123456789999', key: `${hex}-1` });
    await startPayout(open, { accountNumber: '123456789012', key: `${hex}-2` });
    await eventually(() => expect(events()).toEqual(['payout.processed']));
    const { body } = await open.control('GET', '/payouts');
    expect(body['items']).toMatchObject([{ status: 'processed' }, { status: 'processing' }]);
  });

  it('do not end again when they were played before', async () => {
    const accountNumber = '123456789012';
    let tries = 0;
    // A payout that ended on a busy machine before it was played proves nothing. Another is tried.
    const played = await eventually(async () => {
      tries += 1;
      const id = await startPayout(open, { accountNumber, key: `try-${tries}` });
      await play(`/payouts/${id}`, { outcome: 'rejected' });
      await eventually(() => eventsOf(id).length > 0);
      expect(eventsOf(id)[0]).toBe('payout.rejected');
      return id;
    });
    const next = await startPayout(open, { accountNumber, key: 'another' });
    await eventually(() => expect(eventsOf(next)).toEqual(['payout.processed']));
    expect(eventsOf(played)).toEqual(['payout.rejected']);
  });
});

describe('payouts that are played', () => {
  const accountNumber = '123456789999';

  it.each(['processed', 'failed', 'rejected', 'reversed'])('are %s', async (outcome) => {
    const id = await startPayout(open, { accountNumber, key: `${hex}-1` });
    const response = await play(`/payouts/${id}`, { outcome });
    expect(response.body).toMatchObject({ id, status: outcome, accountLast4: '9999' });
    expect(response.text).not.toContain(accountNumber);
    await eventually(() => expect(events()).toEqual([`payout.${outcome}`]));
  });

  it('send webhooks with a signature in both headers and an event id', async () => {
    await startPayout(open, { accountNumber, key: `${hex}-1` });
    await play(`/payouts/${payoutId}`, { outcome: 'processed' });
    await play(`/payouts/${payoutId}`, { outcome: 'reversed' });
    await eventually(() => expect(events()).toHaveLength(2));
    for (const { path, headers, raw } of arrived()) {
      expect(path).toBe('/v1/webhooks/payout');
      const signature = hexHmac(sandboxDefaults.payoutWebhookSecrets[0] ?? '', raw);
      expect(headers['x-gateway-signature']).toBe(signature);
      expect(headers['x-razorpay-signature']).toBe(signature);
      expect(raw).not.toContain(accountNumber);
    }
    const ids = arrived().map(({ headers }) => headers['x-razorpay-event-id']);
    expect(new Set(ids).size).toBe(2);
  });

  it('are found by our id: the newest attempt', async () => {
    await startPayout(open, { accountNumber, key: `${hex}-1` });
    const second = await startPayout(open, { accountNumber, key: `${hex}-2` });
    await startPayout(open, { accountNumber, key: `${hex}1-1` });
    const response = await play(`/payouts/${payoutId}`, { outcome: 'processed', deliver: 'none' });
    expect(response.body['id']).toBe(second);
    const again = await play(`/payouts/${hex}`, { outcome: 'reversed', deliver: 'none' });
    expect(again.body['id']).toBe(second);
    const byKey = await play(`/payouts/${hex}-1`, { outcome: 'failed', deliver: 'none' });
    expect(byKey.body['idempotencyKey']).toBe(`${hex}-1`);
    expect(events()).toEqual([]);
  });

  it('send webhooks twice, later or not at all on request', async () => {
    await startPayout(open, { accountNumber, key: `${hex}-1` });
    const path = `/payouts/${payoutId}`;
    await play(path, { outcome: 'processed', deliver: 'delayed', delayMs: 1500 });
    await play(path, { outcome: 'reversed', deliver: 'duplicate' });
    await play(path, { outcome: 'failed', deliver: 'none' });
    await eventually(() => expect(events()).toHaveLength(3));
    expect(events()).toEqual(['payout.reversed', 'payout.reversed', 'payout.processed']);
    expect(arrived()[0]?.raw).toBe(arrived()[1]?.raw);
  });

  it('are refused when nobody asked for them, or for another outcome', async () => {
    expect((await play('/payouts/nobody', { outcome: 'failed' })).status).toBe(404);
    const response = await play('/payouts/nobody', { outcome: 'paid' });
    expect(response).toMatchObject({ status: 400, body: { error: { field: 'outcome' } } });
  });
});

it('the sandbox goes on after a restart with what was under way', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'sandbox-payouts-'));
  try {
    const slow = await openSandbox({ stateDir, settleMs: 60_000 });
    const id = await startPayout(slow, { accountNumber: '123456789012', key: `${hex}-1` });
    await startValidation(slow, { accountNumber: '123456789012', bankAccountId });
    await slow.stop();
    const next = await openSandbox({ stateDir, settleMs: 10, customerBaseUrl: service.url });
    const { body } = await next.control('GET', '/payouts');
    expect(body['items']).toMatchObject([{ id }]);
    await eventually(() => expect(events()).toHaveLength(2));
    const again = await startPayout(next, { accountNumber: '123456789012', key: `${hex}-1` });
    expect(again).toBe(id);
    await next.stop();
  } finally {
    rmSync(stateDir, { recursive: true });
  }
});
