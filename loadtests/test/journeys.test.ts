import { describe, expect, it, type TestContext } from 'vitest';
import { runAgainst } from './support/run-against.ts';
import { listen } from './targets/listen.ts';
import { createSmallHouse, type HouseFlaws } from './targets/small-house.ts';

const run = async (
  context: TestContext,
  flaws: HouseFlaws,
  variables: Readonly<Record<string, string>> = {},
) => {
  const { url, close } = await listen(createSmallHouse(flaws));
  context.onTestFinished(close);
  return await runAgainst('journeys', {
    CUSTOMER_URL: url,
    ADMIN_URL: url,
    ACCOUNTING_URL: url,
    SANDBOX_URL: url,
    SECONDS: '6',
    PATIENCE_SECONDS: '4',
    ...variables,
  });
};

describe.concurrent('the journeys', () => {
  it('pass a house that does what it should', async (context) => {
    const { exitCode, failed, report } = await run(context, {}, { SECONDS: '12' });
    expect({ exitCode, failed }).toEqual({ exitCode: 0, failed: [] });
    expect(report.verdicts.map(({ part }) => part).filter((part) => part !== '')).toEqual([
      'browse',
      'signIn',
      'buy',
      'sale',
      'plan',
      'jewellery',
      'operators',
      'accountants',
      'house',
    ]);
  });

  it('pass a house that reconciles slowly and counts who looks', async (context) => {
    const { exitCode, failed } = await run(context, { reconcilesAfterMs: 8000 });
    expect({ exitCode, failed }).toEqual({ exitCode: 0, failed: [] });
  });

  it('pass by halves, each with what falls to it', async (context) => {
    const parts = await Promise.all(
      ['0:1/2', '1/2:1'].map((segment) =>
        run(context, {}, { SEGMENT: segment, SEGMENT_SEQUENCE: '0,1/2,1', SECONDS: '24' }),
      ),
    );
    expect(parts.map(({ exitCode, failed }) => ({ exitCode, failed }))).toEqual([
      { exitCode: 0, failed: [] },
      { exitCode: 0, failed: [] },
    ]);
  });

  const wrong: readonly (readonly [string, HouseFlaws, readonly string[]])[] = [
    ['loses one of two webhooks', { losesEvent: true }, ['events_received']],
    ['loses both, and polls', { allocatesAfterMs: 3000 }, ['events_received']],
    ['allocates too late', { allocatesAfterMs: 60_000 }, ['journey_done']],
    ['never pays a sale out', { neverPaysOut: true }, ['journey_done', 'payout_time']],
    ['differs from its collaborators', { findsMismatch: true }, ['books_reconcile']],
    ['breaks a rule of its database', { breaksRule: true }, ['rules_hold']],
    ['has a sum that drifts', { drifts: true }, ['rules_hold']],
    ['orders twice for one key', { ordersTwice: true }, ['journey_done']],
    ['buys for more than it sells for', { wrongSpread: true }, ['journey_done']],
    ['fails a route', { failsRoute: '/v1/users' }, ['answered_as_expected', 'journey_done']],
    ['fails its reconciliation', { failsRoute: '/v1/reconciliation/runs' }, ['books_reconcile']],
  ];

  it.for(wrong)('fail a house that %s', async ([, flaws, thresholds], context) => {
    const { exitCode, failed } = await run(context, flaws);
    expect(exitCode).not.toBe(0);
    expect(failed).toEqual(expect.arrayContaining([...thresholds]));
  });

  it('fail a house that is too slow for those who come', async (context) => {
    const variables = { REQUEST_P95_MS: '300', PATIENCE_SECONDS: '20' };
    const { exitCode, failed } = await run(context, { slowMs: 1500 }, variables);
    expect(exitCode).toBe(99);
    expect(failed).toEqual(expect.arrayContaining(['http_req_duration', 'dropped_iterations']));
  });

  it('fail before anything runs where nobody can sign in', async (context) => {
    const { exitCode, failed } = await run(context, { failsRoute: '/v1/auth/login' });
    expect(exitCode).not.toBe(0);
    expect(failed).toContain('journey_done');
  });
});
