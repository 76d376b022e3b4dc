import { expect, it } from 'vitest';
import { metricKey } from '../lib/rules.ts';
import { readSettings } from '../lib/settings.ts';
import { priceCadenceRules } from './price-cadence.ts';
import { rateLimitRules } from './rate-limits.ts';

const cadence = {
  sockets: 1,
  latenessP95Ms: 10,
  latenessMaxMs: 20,
  priceMayStand: false,
  marks: 4,
  missedMarks: 0,
};

const keysOf = (env: Record<string, string>): string[] =>
  rateLimitRules(readSettings(env), 2).map(metricKey);

it('holds each API by itself', () => {
  expect(keysOf({}).filter((key) => key.startsWith('refused_beyond_limit'))).toEqual([
    'refused_beyond_limit{api:customer}',
    'refused_beyond_limit{api:admin}',
    'refused_beyond_limit{api:accounting}',
  ]);
  expect(keysOf({ APIS: 'admin' }).every((key) => key.endsWith('{api:admin}'))).toBe(true);
});

it('does not ask for a neighbour where all clients are one', () => {
  const missing = keysOf({ APIS: 'admin' }).filter(
    (key) => !keysOf({ APIS: 'admin', HOP: 'real' }).includes(key),
  );
  expect(missing).toEqual(['neighbour_untouched{api:admin}', 'ipv6_by_56{api:admin}']);
});

it('asks about another replica where there is one', () => {
  const one = { APIS: 'customer,admin', OTHER_CUSTOMER_URL: 'http://127.0.0.1:4100' };
  expect(keysOf(one).filter((key) => key.startsWith('replicas'))).toEqual([
    'replicas_count_so{api:customer}',
  ]);
  expect(keysOf({}).some((key) => key.startsWith('replicas'))).toBe(false);
});

it('does not ask a price to move where it may stand', () => {
  const limits = { ...cadence, sockets: 1 };
  const metricsOf = (priceMayStand: boolean): string[] =>
    priceCadenceRules({ ...limits, priceMayStand }).map(({ metric }) => metric);
  expect(metricsOf(false)).toContain('feed_price_moves');
  expect(metricsOf(true)).not.toContain('feed_price_moves');
});

it('wants to see all journeys end, so that nothing observed is not all is well', () => {
  const finished = [
    ...rateLimitRules(readSettings({ APIS: 'admin' }), 2),
    ...priceCadenceRules({ ...cadence, sockets: 50 }),
  ].filter(({ metric }) => metric.endsWith('_finished'));
  expect(finished.map(({ expression }) => expression)).toEqual(['count==2', 'count==50']);
});

it('holds lateness against what it is told', () => {
  const rules = priceCadenceRules(cadence);
  const expressions = rules
    .filter(({ metric }) => metric === 'feed_lateness')
    .map(({ expression }) => expression);
  expect(expressions).toEqual(['p(95)<10', 'max<20']);
});

const heardOf = (missedMarks: number) =>
  priceCadenceRules({ ...cadence, missedMarks }).find(({ metric }) => metric === 'feed_mark_heard')
    ?.expression;

it('lets a feed miss as many marks as it is told', () => {
  expect([heardOf(0), heardOf(1)]).toEqual(['rate==1', 'rate>=0.75']);
});
