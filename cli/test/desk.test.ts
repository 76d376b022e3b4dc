import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { golden } from './support/golden.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';
import { allocatedBuy, reviewedSale } from './support/sample-answers.ts';
import {
  answeredTicket,
  blockedReadiness,
  customers,
  customerWithAll,
  deadJobs,
  failedPayout,
  kycQueue,
  listedOrders,
  payouts,
  payoutWithAttempts,
  queuedJob,
  recordedEvidence,
  rejectedRecord,
  reviews,
  tickets,
  timeline,
  waitingEvent,
  waitingEvents,
} from './support/sample-desk.ts';
import { openStubApi, type StubApi } from './support/stub-api.ts';

let api: StubApi;

beforeAll(async () => {
  api = await openStubApi();
});
beforeEach(() => {
  api.requests.length = 0;
  api.bodies.length = 0;
});
afterAll(() => api.close());

const goldctl = (args: readonly string[], options: RunOptions = {}) =>
  runInProcess(['--admin-url', api.url, ...args], { ...options, env: { GOLDCTL_TOKEN: 'x' } });

describe('what waits at night', () => {
  it.each([
    ['payout-list', ['payout', 'list', '--status', 'FAILED'], payouts],
    ['payout-show', ['payout', 'show', 'x'], payoutWithAttempts],
    ['customer-find', ['customer', 'find', '98765'], customers],
    ['customer-show', ['customer', 'show', 'x'], customerWithAll],
    ['kyc-list', ['kyc', 'list'], kycQueue],
    ['ticket-list', ['ticket', 'list', '--status', 'OPEN'], tickets],
    ['order-list', ['order', 'list', '--customer', 'x'], listedOrders],
    ['order-timeline', ['order', 'timeline', 'x'], timeline],
    ['review-list', ['review', 'list'], reviews],
    ['jobs-list', ['jobs', 'list'], deadJobs],
    ['webhooks-list', ['webhooks', 'list'], waitingEvents],
    ['ticket-show', ['ticket', 'show', 'T-7K2M9Q'], answeredTicket],
  ])('is shown as a table and as JSON: %s', async (name, args, body) => {
    api.answer({ body });
    const table = await goldctl(args);
    expect(table).toEqual({ code: 0, stderr: '', stdout: golden(`${name}.txt`, table.stdout) });
    const { stdout } = await goldctl([...args, '-o', 'json']);
    expect(stdout).toBe(golden(`${name}.json`, stdout));
    expect(stdout + table.stdout).not.toMatch(/9876543210|asha@|Nair/u);
    expect(table.stdout).not.toContain('\u001b');
  });

  it('asks for what was asked: filters and pages', async () => {
    api.answer({ body: payouts });
    await goldctl(['payout', 'list', '--status', 'FAILED', '--page', '2', '--limit', '5']);
    expect(api.requests).toEqual(['GET /v1/payouts?page=2&limit=5&status=FAILED Bearer x']);
    api.answer({ body: listedOrders });
    await goldctl(['order', 'list', '--customer', 'c', '--status', 'PAID']);
    expect(api.requests.at(-1)).toBe(
      'GET /v1/orders?page=1&limit=20&status=PAID&userId=c Bearer x',
    );
    expect((await goldctl(['payout', 'list', '--limit', '101'])).code).toBe(2);
    expect((await goldctl(['payout', 'list', '--status', 'LOST'])).code).toBe(2);
  });

  it('is empty in words', async () => {
    api.answer({ body: { items: [], total: 0, page: 1, limit: 20 } });
    expect((await goldctl(['kyc', 'list'])).stdout).toBe('Nothing waits for review.\n');
  });
});

const record = [
  'evidence',
  'record',
  'merchant_tax_registration',
  '--value=29ABCDE1234F1Z5',
  '--reference=GST certificate of 2026-11-20',
  '--expires-on=2027-12-01',
];

describe('a decision', () => {
  it.each([
    [['payout', 'approve', 'p'], failedPayout, 'POST /v1/payouts/p/approve'],
    [['payout', 'retry', 'p', '--note', 'new account'], failedPayout, 'POST /v1/payouts/p/retry'],
    [
      ['customer', 'block', 'c', '--reason', 'lost phone'],
      customers.items[0],
      'PATCH /v1/users/c/block',
    ],
    [['customer', 'unblock', 'c'], customers.items[0], 'PATCH /v1/users/c/block'],
    [['jobs', 'discard', '7', '--reason', 'done by hand'], queuedJob, 'POST /v1/jobs/7/discard'],
    [['webhooks', 'replay', 'w'], waitingEvent, 'POST /v1/webhook-events/w/replay'],
    [record, recordedEvidence, 'PUT /v1/readiness/evidence/merchant_tax_registration'],
    [['kyc', 'approve', 'k'], rejectedRecord, 'POST /v1/kyc/k/approve'],
    [['kyc', 'reject', 'k', '--reason', 'not readable'], rejectedRecord, 'POST /v1/kyc/k/reject'],
  ])('%j is made once it is confirmed, and not otherwise', async (args, body, request) => {
    api.answer({ body });
    expect((await goldctl(args)).code).toBe(2);
    expect((await goldctl(args, { typed: ['n'] })).code).toBe(1);
    expect(api.requests).toEqual([]);
    expect((await goldctl([...args, '--yes'])).code).toBe(0);
    expect((await goldctl(args, { typed: ['y'] })).code).toBe(0);
    expect(api.requests).toEqual([`${request} Bearer x`, `${request} Bearer x`]);
  });

  it('that the API refuses is an error with its code', async () => {
    const body = { error: { code: 'ILLEGAL_TRANSITION', message: 'It is PAID already.' } };
    api.answer({ status: 409, body });
    const refused = await goldctl(['payout', 'approve', 'p', '--yes']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('It is PAID already. (ILLEGAL_TRANSITION)');
  });
});

it('lets a job begin anew without a question: a retry of work that was done does nothing', async () => {
  api.answer({ body: queuedJob });
  const retried = await goldctl(['jobs', 'retry', '4711']);
  expect(retried).toMatchObject({ code: 0, stderr: '' });
  expect(retried.stdout).toContain('queued');
  expect(api.requests).toEqual(['POST /v1/jobs/4711/retry Bearer x']);
});

describe('the review of an order', () => {
  it('ends with one of the resolutions that fit it', async () => {
    api.answer({ body: reviewedSale });
    const wrong = await goldctl(['order', 'resolve', 'x', 'ALLOCATE', '--yes']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('For this order: CONFIRM_SELL, RELEASE_SELL.');
    const resolve = ['order', 'resolve', 'x', 'CONFIRM_SELL', '--note', 'the provider says so'];
    expect((await goldctl([...resolve, '--yes'])).code).toBe(0);
    expect(api.requests.at(-1)).toBe('POST /v1/orders/x/resolve Bearer x');
  });

  it('of a buy depends on whether it has its gold, not on its transaction', async () => {
    const review = { status: 'MANUAL_REVIEW', manual_review_code: 'LATE_CAPTURE' };
    const withGold = { ...allocatedBuy, ...review };
    api.answer({ body: withGold });
    const wrong = await goldctl(['order', 'resolve', 'x', 'ALLOCATE', '--yes']);
    expect(wrong.stderr).toContain('For this order: KEEP, RECOVER, REFUNDED.');
    api.answer({ body: { ...withGold, events: allocatedBuy.events.slice(0, 2) } });
    expect((await goldctl(['order', 'resolve', 'x', 'ALLOCATE', '--yes'])).code).toBe(0);
    expect((await goldctl(['order', 'resolve', 'x', 'KEEP', '--yes'])).stderr).toContain(
      'For this order: ALLOCATE, REFUNDED.',
    );
  });

  it('offers them on a terminal', async () => {
    api.answer({ body: reviewedSale });
    const typed = ['RELEASE_SELL', 'y'];
    const resolved = await goldctl(['order', 'resolve', 'x'], { typed });
    expect(resolved.code).toBe(0);
    expect(resolved.stderr).toContain('Resolution (CONFIRM_SELL, RELEASE_SELL):');
    expect((await goldctl(['order', 'resolve', 'x'])).code).toBe(2);
  });

  it('is none where the order is not under review', async () => {
    api.answer({ body: allocatedBuy });
    const none = await goldctl(['order', 'resolve', 'x', 'KEEP', '--yes']);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('is not under review');
  });
});

it('says with 3 what keeps buying closed', async () => {
  api.answer({ body: blockedReadiness });
  const shown = await goldctl(['readiness']);
  expect(shown).toMatchObject({ code: 3, stdout: golden('readiness.txt', shown.stdout) });
  expect(shown.stderr).toContain('buying stays closed: 1 item not in place');
  const json = await goldctl(['readiness', '-o', 'json']);
  expect(json.stdout).toBe(golden('readiness.json', json.stdout));
});

describe('evidence', () => {
  it('is shown as it is on file after it was recorded', async () => {
    api.answer({ body: recordedEvidence });
    const table = await goldctl([...record, '--yes']);
    expect(table.stdout).toBe(golden('evidence-record.txt', table.stdout));
    const json = await goldctl([...record, '--yes', '-o', 'json']);
    expect(json.stdout).toBe(golden('evidence-record.json', json.stdout));
    expect(api.bodies[0]).toEqual({
      value: '29ABCDE1234F1Z5',
      reference: 'GST certificate of 2026-11-20',
      verified: true,
      expiresOn: '2027-12-01',
    });
  });

  it('that is withdrawn stays on file, without its verification', async () => {
    const { items } = blockedReadiness;
    api.answer({ body: { ...recordedEvidence, ready: true, items } });
    const withdraw = ['evidence', 'withdraw', 'merchant_tax_registration'];
    expect((await goldctl(withdraw)).code).toBe(2);
    const withdrawn = await goldctl(withdraw, { typed: ['y'] });
    expect(withdrawn).toMatchObject({ code: 0 });
    expect(withdrawn.stderr).toContain('Buying closes.');
    expect(api.bodies.at(-1)).toEqual({
      value: '29ABCDE1234F1Z5',
      reference: 'GST certificate of 2026-04-01',
      verified: false,
      expiresOn: '2026-12-01',
    });
  });

  it('that is not there cannot be withdrawn, and there is none of other items', async () => {
    api.answer({ body: blockedReadiness });
    const none = await goldctl(['evidence', 'withdraw', 'legal_entity', '--yes']);
    expect(none).toMatchObject({
      code: 1,
      stderr: 'goldctl: there is no evidence of legal_entity\n',
    });
    expect((await goldctl(['evidence', 'withdraw', 'price_feed', '--yes'])).code).toBe(2);
  });
});
