import { describe, expect, it, type TestContext } from 'vitest';
import { apis } from '../lib/apis.ts';
import { apiNames, type ApiName } from '../lib/settings.ts';
import { runAgainst } from './support/run-against.ts';
import { createLimitedApi, type LimitFlaws } from './targets/limited-api.ts';
import { listen } from './targets/listen.ts';
import { balance, createReplicas } from './targets/replicas.ts';

const windowSeconds = 15;
/** Slower, so that on a busy machine only the fault under test can fail. */
const longWindowSeconds = 30;

/** Starts an API until the test is over. */
const startApi = async (
  context: TestContext,
  name: ApiName,
  seconds: number,
  flaws: LimitFlaws = {},
): Promise<string> => {
  const { url, close } = await listen(createLimitedApi(apis[name], seconds * 1000, flaws));
  context.onTestFinished(close);
  return url;
};

const run = async (seconds: number, variables: Readonly<Record<string, string>>) =>
  await runAgainst('rate-limits', { WINDOW_SECONDS: String(seconds), ...variables });

const runFlawed = async (
  context: TestContext,
  flaws: LimitFlaws,
  seconds = windowSeconds,
  variables: Readonly<Record<string, string>> = {},
) => {
  const url = await startApi(context, 'customer', seconds, flaws);
  return await run(seconds, { APIS: 'customer', CUSTOMER_URL: url, ...variables });
};

describe.concurrent('the rate limit suite', () => {
  it('passes three APIs that limit as they should', async (context) => {
    const urls = await Promise.all(
      apiNames.map(async (name) => {
        const url = await startApi(context, name, longWindowSeconds);
        return [`${name.toUpperCase()}_URL`, url] as const;
      }),
    );
    const { exitCode, failed, report, stdout } = await run(
      longWindowSeconds,
      Object.fromEntries(urls),
    );
    expect({ exitCode, failed }).toEqual({ exitCode: 0, failed: [] });
    expect(report.verdicts).toHaveLength(45);
    expect(stdout).toContain('Rate limits, smoke: all thresholds passed');
  });

  it('passes one behind a real hop, also in the middle of a window', async (context) => {
    const url = await startApi(context, 'customer', longWindowSeconds, { oneBudget: true });
    const [first] = apis.customer.limitedRequests;
    const before = await fetch(`${url}${first?.path}`);
    expect(before.headers.get('ratelimit')).toContain('r=99');
    const variables = { APIS: 'customer', CUSTOMER_URL: url, HOP: 'real' };
    const { exitCode, failed } = await run(longWindowSeconds, variables);
    expect({ exitCode, failed }).toEqual({ exitCode: 0, failed: [] });
  });

  const wrong: readonly (readonly [string, LimitFlaws, readonly string[]])[] = [
    [
      'has no limiter',
      { noLimiter: true },
      ['refused_beyond_limit', 'limit_headers', 'forged_address_refused', 'shut_until_reset'],
    ],
    [
      'lets one too few through',
      { limit: 99 },
      ['admitted_within_limit', 'limit_headers', 'exempt_not_counted', 'neighbour_untouched'],
    ],
    [
      'lets one too many through',
      { limit: 101 },
      ['refused_beyond_limit', 'limit_headers', 'exempt_not_counted', 'neighbour_untouched'],
    ],
    [
      'limits a webhook',
      { limitedPath: '/v1/webhooks/payment/sandbox' },
      ['exempt_never_refused', 'exempt_not_counted'],
    ],
    ['limits its health', { limitedPath: '/v1/health' }, ['exempt_never_refused']],
    ['limits its metrics', { limitedPath: '/metrics' }, ['exempt_never_refused']],
    ['counts what is exempt', { countsExempt: true }, ['exempt_not_counted']],
    ['never opens the window again', { refusalsExtend: true }, ['window_reopened']],
    ['opens the window before it said', { endsEarlyMs: 4000 }, ['shut_until_reset']],
    ['has one budget for all', { oneBudget: true }, ['neighbour_untouched']],
    ['is too slow to be measured', { slowMs: 400 }, ['spent_in_time']],
  ];

  it.for(wrong)('fails an API that %s', async ([, flaws, thresholds], context) => {
    const { exitCode, failed, stdout, stderr } = await runFlawed(context, flaws);
    expect(exitCode).toBe(99);
    expect(failed).toEqual(expect.arrayContaining([...thresholds]));
    for (const threshold of thresholds) {
      expect(stdout).toContain(`${threshold}{api:customer}`);
      expect(stderr).toContain(`${threshold}{api:customer}`);
    }
  });

  // Each of these flaws fails one threshold and no other.
  const lone: readonly (readonly [string, LimitFlaws, string])[] = [
    ['says no limit in its headers', { noHeaders: true }, 'limit_headers'],
    ['has no Retry-After', { noRetryAfter: true }, 'refusal_retry_after'],
    ['has no envelope', { bareBody: true }, 'refusal_envelope'],
    ['believes what the client wrote', { believesClient: true }, 'forged_address_refused'],
    ['answers 404 to everything', { answersAll: 404 }, 'answered_as_expected'],
    ['answers 500 to everything', { answersAll: 500 }, 'answered_as_expected'],
    ['answers 200 to everything', { answersAll: 200 }, 'answered_as_expected'],
    ['fails what is exempt', { answersExempt: 503 }, 'answered_as_expected'],
    ['takes every /64 for a client', { ipv6Bits: 64 }, 'ipv6_by_56'],
    ['takes a whole /48 for one client', { ipv6Bits: 48 }, 'ipv6_by_56'],
  ];

  it.for(lone)('finds no other fault with one that %s', async ([, flaws, threshold], context) => {
    const url = await startApi(context, 'admin', longWindowSeconds, flaws);
    const { exitCode, failed, stderr } = await run(longWindowSeconds, {
      APIS: 'admin',
      ADMIN_URL: url,
    });
    // That it took too long is a fault of a busy machine.
    const faults = failed.filter((name) => name !== 'spent_in_time');
    expect({ exitCode, faults }).toEqual({ exitCode: 99, faults: [threshold] });
    expect(stderr).toContain(`${threshold}{api:admin}`);
  });

  it('fails when the clients do not come to the end', async (context) => {
    const { exitCode, failed } = await runFlawed(context, { slowMs: 60_000 }, 1, {
      SPARE_SECONDS: '1',
    });
    expect(exitCode).toBe(99);
    expect(failed).toContain('clients_finished');
  });

  it('passes two replicas behind one balancer that count together', async (context) => {
    const replicas = createReplicas(apis.customer, longWindowSeconds * 1000, 'together');
    const { url, close } = await listen(balance(replicas));
    context.onTestFinished(close);
    const { failed } = await run(longWindowSeconds, { APIS: 'customer', CUSTOMER_URL: url });
    expect(failed.filter((name) => name !== 'spent_in_time')).toEqual([]);
  });

  it('fails two replicas behind one balancer that each count alone', async (context) => {
    const replicas = createReplicas(apis.customer, windowSeconds * 1000, 'alone');
    const { url, close } = await listen(balance(replicas));
    context.onTestFinished(close);
    const { exitCode, failed } = await run(windowSeconds, { APIS: 'customer', CUSTOMER_URL: url });
    expect(exitCode).toBe(99);
    expect(failed).toContain('refused_beyond_limit');
  });

  const counting = [
    { counts: 'together', cache: 'running', isRight: true },
    { counts: 'alone', cache: 'running', isRight: false },
    { counts: 'alone', cache: 'stopped', isRight: true },
    { counts: 'together', cache: 'stopped', isRight: false },
  ] as const;

  it.for(counting)(
    'asks a replica that counts $counts, with the cache $cache',
    async ({ counts, cache, isRight }, context) => {
      const replicas = createReplicas(apis.customer, longWindowSeconds * 1000, counts);
      const [one, other] = await Promise.all(replicas.map(listen));
      context.onTestFinished(async () => {
        await one?.close();
        await other?.close();
      });
      const { failed } = await run(longWindowSeconds, {
        APIS: 'customer',
        CUSTOMER_URL: one?.url ?? '',
        OTHER_CUSTOMER_URL: other?.url ?? '',
        CACHE: cache,
      });
      const faults = failed.filter((name) => name !== 'spent_in_time');
      expect(faults).toEqual(isRight ? [] : ['replicas_count_so']);
    },
  );
});
