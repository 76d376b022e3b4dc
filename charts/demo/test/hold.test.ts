import { expect, it } from 'vitest';
import { countRefused, describeHold } from '../src/hold/describe-hold.ts';
import { podScript } from '../src/hold/on-node.ts';
import { unspread } from '../src/hold/pods.ts';
import { readFigures } from '../src/hold/read-figures.ts';

const point = (second: number, value: number, failure: string, metric = 'hold_answer') =>
  JSON.stringify({
    metric,
    type: 'Point',
    data: {
      time: `2026-11-26T20:00:${String(second).padStart(2, '0')}Z`,
      value,
      tags: { name: 'customer: health', failure },
    },
  });

const end = Date.parse('2026-11-26T20:00:30Z');

const output = [
  '{"type":"Metric","data":{},"metric":"hold_answer"}',
  point(1, 5, ''),
  point(2, 5, '', 'http_req_waiting'),
  point(3, 7, '503 BUSY'),
  point(5, 9, '503 BUSY'),
  point(9, 30_000, 'request timeout'),
  point(40, 1, 'context canceled'),
  '',
].join('\n');

it('counts every answer up to the end of the load, and each way of failing', () => {
  const figures = readFigures(output, end);
  expect(figures).toMatchObject({ sent: 4, failed: 3, troubleSeconds: 6, p99Ms: 30_000 });
  expect([...figures.reasons]).toEqual([
    ['503 BUSY at customer: health', 2],
    ['request timeout at customer: health', 1],
  ]);
});

it("tells failures of the fault's own kind from others", () => {
  const figures = readFigures(output, end);
  expect(countRefused(figures, { allowed: [] })).toBe(3);
  expect(countRefused(figures, { allowed: [/^503\b/u] })).toBe(1);
  expect(countRefused(figures, { allowed: [/^503\b/u, /timeout/u] })).toBe(0);
});

it('makes a row of a table of each fault', () => {
  const figures = readFigures(output, end);
  const held = { title: 'Redis gone', figures, seconds: 12, told: 'well again', refused: 0 };
  expect(describeHold([held])[2]).toBe(
    '| Redis gone (12 s) | 4 | 3 (75.0 %) in 6 s: 2 503 BUSY at customer: health,' +
      ' 1 request timeout at customer: health | 9, 30000 ms | well again |',
  );
});

const pod = (component: string, node: string) => ({
  name: `${component}-${node}`,
  uid: '1',
  component,
  node,
  restarts: 0,
  isReady: true,
  isDone: false,
  isLeaving: false,
});

it('finds processes of which all pods are on one node', () => {
  const pods = [pod('customer', 'a'), pod('customer', 'b'), pod('worker', 'a'), pod('worker', 'a')];
  expect(unspread([...pods, pod('admin', 'a')])).toEqual(['worker']);
});

it('looks for a pod by its uid in both forms that control groups have', () => {
  expect(podScript('a-b', 1)).toContain("'a-b|a_b'");
});
