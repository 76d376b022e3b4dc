import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStubApi, type StubApi, type StubResponse } from './support/stub-api.ts';
import { golden } from './support/golden.ts';
import {
  allocatedBuy,
  reviewedSale,
  undecidedRuns,
  unevenBooks,
  unevenRun,
} from './support/sample-answers.ts';
import { runInProcess } from './support/run-in-process.ts';

const apiVersion = 'goldctl/v1';

let api: StubApi;

beforeAll(async () => {
  api = await openStubApi();
});
beforeEach(() => {
  api.requests.length = 0;
  api.bodies.length = 0;
});
afterAll(() => api.close());

const goldctl = (answer: StubResponse | 'nothing', ...args: readonly string[]) => {
  api.answer(answer);
  return runInProcess(['--admin-url', api.url, ...args], { env: { GOLDCTL_TOKEN: 'a-token' } });
};

const show = (body: unknown, ...more: readonly string[]) =>
  goldctl({ body }, 'order', 'show', 'an id', ...more);

describe('an order', () => {
  it.each([
    ['order-buy.txt', allocatedBuy, []],
    ['order-buy.json', allocatedBuy, ['-o', 'json']],
    ['order-sale-under-review.txt', reviewedSale, []],
    ['order-sale-under-review.json', reviewedSale, ['-o', 'json']],
  ])('is shown as %s', async (name, body, more) => {
    const shown = await show(body, ...more);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toBe(golden(name, shown.stdout));
    expect(api.requests).toEqual(['GET /v1/orders/an%20id Bearer a-token']);
  });

  it.each([allocatedBuy, reviewedSale])('is in JSON all that the API answers', async (body) => {
    const { stdout } = await show(body, '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ apiVersion, ...body });
  });

  it('can tell a terminal nothing but what it says', async () => {
    const { stdout } = await show(reviewedSale);
    expect(stdout).not.toContain('\u001b');
  });

  it('that there is not is a plain failure', async () => {
    const body = { error: { code: 'NOT_FOUND', message: 'Not found.' } };
    const shown = await goldctl({ status: 404, body }, 'order', 'show', 'an-id');
    expect(shown).toEqual({
      code: 1,
      stdout: '',
      stderr: 'goldctl: there is no gold order an-id\n',
    });
  });
});

describe('reconciliation', () => {
  it.each([
    ['reconcile.txt', []],
    ['reconcile.json', ['-o', 'json']],
    ['reconcile-samples.txt', ['--samples', '--window-hours', '24']],
    ['reconcile-samples.json', ['--samples', '-o', 'json']],
  ])('is shown as %s, and ends with 3', async (name, more) => {
    const shown = await goldctl({ body: unevenBooks }, 'reconcile', ...more);
    expect(shown.code).toBe(3);
    expect(shown.stdout).toBe(golden(name, shown.stdout));
    expect(shown.stderr).toMatch(/^goldctl: not every reconciliation check passed\n/u);
  });

  it('is in JSON all that the API answers', async () => {
    const body = { ...unevenBooks, invented_later: true };
    const { stdout } = await goldctl({ body }, 'reconcile', '--samples', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ apiVersion, ...body });
  });

  it('shows one check alone, and its samples as CSV', async () => {
    const body = {
      ...unevenBooks,
      checks: [
        ...unevenBooks.checks.filter(({ id }) => id !== 'payout_stuck'),
        {
          id: 'payout_stuck',
          title: 'payouts that stand still',
          severity: 'high',
          status: 'FINDINGS',
          count: 2,
          samples: [
            { payoutId: 'p-1', amountPaise: 100, note: '=1+1' },
            { payoutId: 'p-2', amountPaise: 5, note: 'a "b", c' },
          ],
        },
      ],
    };
    const csv = await goldctl({ body }, 'reconcile', '--check', 'payout_stuck', '--csv');
    expect(csv.code).toBe(3);
    expect(csv.stdout).toBe(
      'payoutId,amountPaise,note\r\np-1,100,\'=1+1\r\np-2,5,"a ""b"", c"\r\n',
    );
    const one = await goldctl({ body }, 'reconcile', '--check', 'payout_stuck');
    expect(one.stdout).toContain('0 of 1 checks agree; 1 with findings.');
    expect((await goldctl({ body }, 'reconcile', '--check', 'garden')).code).toBe(2);
    expect((await goldctl({ body }, 'reconcile', '--csv')).code).toBe(2);
  });

  it('ends with 3 when nothing was found and something could not be looked at', async () => {
    const { checks } = unevenBooks;
    const body = {
      ...unevenBooks,
      summary: { ok: 1, findings: 0, errors: 1 },
      checks: checks.filter(({ status }) => status !== 'FINDINGS'),
    };
    const shown = await goldctl({ body }, 'reconcile');
    expect(shown.code).toBe(3);
    expect(shown.stdout).toContain('NOT CHECKED');
    expect(shown.stdout).toContain('razorpay did not answer');
    expect(shown.stdout).not.toContain('finding');
  });

  it('asks for the window that was named', async () => {
    await goldctl({ body: unevenBooks }, 'reconcile', '--window-hours', '720');
    await goldctl({ body: unevenBooks }, 'reconcile');
    expect(api.requests.map((line) => line.split(' ')[1])).toEqual([
      '/v1/reconciliation?window_hours=720',
      '/v1/reconciliation',
    ]);
  });

  it.each([
    ['reconcile-fresh.txt', []],
    ['reconcile-fresh.json', ['-o', 'json']],
  ])('that is made now is shown as %s', async (name, more) => {
    const fresh = ['reconcile', '--fresh', '--window-hours', '24'];
    const shown = await goldctl({ body: unevenRun }, ...fresh, ...more);
    expect(shown.code).toBe(3);
    expect(shown.stdout).toBe(golden(name, shown.stdout));
    expect(api.requests).toEqual([
      'POST /v1/reconciliation/runs Bearer a-token',
      `GET /v1/reconciliation/runs/${unevenRun.id} Bearer a-token`,
    ]);
    expect(api.bodies).toEqual([{ kind: 'REPORT', windowHours: 24 }]);
  });

  it('that is made now is followed, until it ends or takes too long', async () => {
    const running = { ...unevenRun, status: 'RUNNING', report: null, checksDone: 2 };
    const fresh = ['reconcile', '--fresh', '--timeout', '2s'];
    const slow = await goldctl({ body: running }, ...fresh);
    expect(slow).toMatchObject({ code: 124, stdout: '' });
    expect(slow.stderr.match(/RUNNING, 2 checks done/gu)).toHaveLength(1);
    expect(slow.stderr).toContain('The same command joins it');
    expect(api.requests).toHaveLength(6);
    const failed = await goldctl({ body: { ...running, status: 'FAILED' } }, ...fresh);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('did not finish');
  });

  it('that takes minutes is looked at seldom, and past a refusal for too many requests', async () => {
    const running = { ...unevenRun, status: 'RUNNING', report: null, checksDone: 2 };
    const error = { code: 'RATE_LIMITED', message: 'Too many requests.' };
    let waitedMs = 0;
    let ofFirstMinute = 0;
    api.answer({ body: running });
    const shown = await runInProcess(['--admin-url', api.url, 'reconcile', '--fresh'], {
      env: { GOLDCTL_TOKEN: 'a-token' },
      sleep: async (ms) => {
        waitedMs += ms;
        if (waitedMs <= 60_000) ofFirstMinute = api.requests.length;
        if (waitedMs > 120_000) {
          api.answer({ status: 429, headers: { 'retry-after': '40' }, body: { error } });
        }
        if (ms === 40_000) api.answer({ body: unevenRun });
      },
    });
    expect(shown.code).toBe(3);
    expect(waitedMs).toBeGreaterThan(160_000);
    expect(ofFirstMinute).toBeLessThan(40);
  });

  it.each(['0', '721', '1.5', 'x', '-1', ''])('refuses a window of "%s" hours', async (hours) => {
    const refused = await goldctl('nothing', 'reconcile', '--window-hours', hours);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(api.requests).toEqual([]);
  });
});

const runs = (body: unknown, ...more: readonly string[]) =>
  goldctl({ body }, 'deploy', 'runs', ...more);

describe('deployment runs', () => {
  it.each([
    ['deploy-runs-undecided.txt', undecidedRuns],
    ['deploy-runs-only-undecided.txt', { ...undecidedRuns, items: [] }],
  ])('are shown with what is undecided as %s', async (name, body) => {
    const shown = await runs(body);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toBe(golden(name, shown.stdout));
  });

  it('are in JSON all that the API answers', async () => {
    const { stdout } = await runs(undecidedRuns, '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({ apiVersion, ...undecidedRuns });
  });
});

it('reads runs straight from GitHub that lack what an older server leaves out', async () => {
  const correlationId = '019a8c7e-0000-7000-8000-000000000007';
  const created_at = '2026-11-21T10:00:00Z';
  const runs = [
    { id: '9007199254740993', created_at, actor: null, event: 7 },
    { id: 5, name: `Deploy backend (${correlationId})`, created_at, status: 'queued' },
    { id: 'none', created_at },
  ];
  api.answer({ body: { workflow_runs: runs } });
  const env = {
    GITHUB_TOKEN: 'a-token',
    GITHUB_OWNER: 'gold',
    GITHUB_REPOSITORY: 'service',
    GITHUB_API_URL: api.url,
  };
  const args = ['deploy', 'runs', '--direct', '--target', 'backend', '-o', 'json'];
  const { code, stdout } = await runInProcess(args, { env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    items: [
      { id: '9007199254740993', title: 'deploy-backend.yml', status: 'unknown', event: 'unknown' },
      { id: '5', correlationId, status: 'queued', actor: null, url: '' },
    ],
  });
});

const refusal = (status: number, code: string, headers = {}): StubResponse => ({
  status,
  headers,
  body: { error: { code, message: 'No.', requestId: 'r-1' } },
});

describe('an API that refuses', () => {
  it.each<[string, StubResponse, number, string]>([
    ['no token', refusal(401, 'UNAUTHENTICATED'), 4, 'Sign in with "goldctl login".'],
    ['another role', refusal(403, 'FORBIDDEN'), 4, 'No. (FORBIDDEN)'],
    ['too often', refusal(429, 'RATE_LIMITED', { 'retry-after': '7' }), 1, 'Try again in 7 s.'],
    ['a failure', refusal(500, 'INTERNAL'), 1, 'The logs have it under request ID r-1.'],
    ['no API', { status: 502, body: '<h1>Bad gateway</h1>' }, 1, 'did not return an API response'],
    ['elsewhere', { status: 302, headers: { location: '/' }, body: '' }, 1, 'HTTP 302'],
    ['no JSON', { body: 'hello' }, 1, 'returned an unexpected response'],
    ['another form', { body: { ...allocatedBuy, events: 'none' } }, 1, 'events: '],
    ['half a paisa', { body: { ...allocatedBuy, gst_paise: 1.5 } }, 1, 'gst_paise: '],
  ])('because of %s', async (_name, answer, code, message) => {
    const shown = await goldctl(answer, 'order', 'show', 'an-id');
    expect(shown).toMatchObject({ code, stdout: '' });
    expect(shown.stderr).toContain(message);
    expect(shown.stderr).not.toContain('a-token');
  });

  it('is told from one that is not there', async () => {
    const gone = await openStubApi();
    gone.close();
    const env = { GOLDCTL_TOKEN: 'a-token' };
    const shown = await runInProcess(['--admin-url', gone.url, 'reconcile'], { env });
    expect(shown).toMatchObject({ code: 5, stdout: '' });
    expect(shown.stderr).toContain(`${gone.url} does not answer`);
  });
});

describe('an address', () => {
  it.each(['ftp://x', 'x', 'https://admin.example.com/v1'])('is refused: %s', async (url) => {
    const env = { GOLDCTL_TOKEN: 'a-token' };
    const refused = await runInProcess(['--admin-url', url, 'reconcile'], { env });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('host root');
  });
});
