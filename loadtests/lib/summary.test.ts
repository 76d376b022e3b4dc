import { describe, expect, it } from 'vitest';
import type { SummaryData } from './report.types.ts';
import { thresholdsOf, type Rule } from './rules.ts';
import { asMarkdown, asText, reportFiles, reportOf } from './summary.ts';

const admin = { name: 'api', value: 'admin' };
const rules: Rule[] = [
  { metric: 'refused', tag: admin, expression: 'rate==1', says: 'those after them are 429' },
  { metric: 'lateness', expression: 'p(95)<100', says: 'most come soon' },
  { metric: 'lateness', expression: 'max<400', says: 'none comes late' },
  { metric: 'finished', expression: 'count==3', says: 'all came to the end' },
];
const run = { suite: 'some-suite', title: 'Some suite', profile: 'smoke', rules };
const figures = [{ metric: 'http_reqs', says: 'requests made' }];

const data = (refused: { passes: number; fails: number }, ok: boolean): SummaryData => ({
  state: { testRunDurationMs: 61_234 },
  metrics: {
    'refused{api:admin}': {
      type: 'rate',
      values: { ...refused, rate: 0 },
      thresholds: { 'rate==1': { ok } },
    },
    lateness: {
      type: 'trend',
      values: { med: 10.4, 'p(95)': 40, max: 90 },
      thresholds: { 'p(95)<100': { ok: true }, 'max<400': { ok: true } },
    },
    finished: { type: 'counter', values: { count: 3 }, thresholds: { 'count==3': { ok: true } } },
    http_reqs: { type: 'counter', values: { count: 1234 } },
  },
});

it('gives k6 each threshold under the name of its metric', () => {
  expect(thresholdsOf(rules)).toEqual({
    'refused{api:admin}': ['rate==1'],
    lateness: ['p(95)<100', 'max<400'],
    finished: ['count==3'],
  });
});

describe('reportOf', () => {
  it('holds when every threshold does', () => {
    const report = reportOf(run, figures, data({ passes: 20, fails: 0 }, true));
    expect(report).toMatchObject({ ok: true, seconds: 61.2, suite: 'some-suite' });
    expect(report.verdicts.map(({ observed }) => observed)).toEqual([
      '20 of 20',
      'median 10 ms, 95 % 40 ms, max 90 ms',
      'median 10 ms, 95 % 40 ms, max 90 ms',
      '3',
    ]);
    expect(report.figures).toEqual([
      { says: 'requests made', observed: '1234', values: { count: 1234 } },
    ]);
  });

  it('fails what k6 let pass without an observation', () => {
    const report = reportOf(run, [], data({ passes: 0, fails: 0 }, true));
    expect(report.ok).toBe(false);
    expect(report.verdicts[0]).toMatchObject({ ok: false, observed: 'never observed' });
  });

  it('fails a trend that k6 let pass without a value', () => {
    const { metrics, state } = data({ passes: 20, fails: 0 }, true);
    const lateness = { ...metrics['lateness'], type: 'trend', values: { count: 0, max: 0 } };
    const report = reportOf(run, [], { state, metrics: { ...metrics, lateness } });
    expect(report.verdicts.filter(({ ok }) => !ok).map(({ says }) => says)).toEqual([
      'most come soon',
      'none comes late',
    ]);
  });

  it('fails a threshold of a metric that k6 does not know', () => {
    const report = reportOf(run, [], { state: { testRunDurationMs: 1 }, metrics: {} });
    expect(report.verdicts.map(({ ok }) => ok)).toEqual([false, false, false, false]);
  });
});

describe('the reports', () => {
  const report = reportOf(run, figures, data({ passes: 19, fails: 1 }, false));

  it('are a text that names the failed threshold', () => {
    expect(asText(report)).toBe(
      [
        'Some suite, smoke: some thresholds failed (61.2 s)',
        '  admin',
        '  FAILED  those after them are 429  19 of 20',
        '          refused{api:admin} rate==1',
        '  ok      most come soon            median 10 ms, 95 % 40 ms, max 90 ms',
        '  ok      none comes late           median 10 ms, 95 % 40 ms, max 90 ms',
        '  ok      all came to the end       3',
        '          requests made             1234',
        '',
      ].join('\n'),
    );
  });

  it('are a page', () => {
    expect(asMarkdown(report)).toContain(
      '| **FAILED** | those after them are 429 | 19 of 20 | `refused{api:admin} rate==1` |',
    );
  });

  it('are files where there is a folder for them', () => {
    expect(Object.keys(reportFiles(report, undefined))).toEqual(['stdout']);
    const files = reportFiles(report, 'out');
    expect(Object.keys(files)).toEqual(['stdout', 'out/some-suite.json', 'out/some-suite.md']);
    expect(JSON.parse(files['out/some-suite.json'] ?? '')).toEqual(report);
  });
});
