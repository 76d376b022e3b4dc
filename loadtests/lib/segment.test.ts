import { expect, it } from 'vitest';
import { shareOf } from './segment.ts';

it.each([
  [undefined, 12],
  ['', 12],
  ['1/2', 6],
  ['0:1/2', 6],
  ['1/2:1', 6],
  ['1/3:2/3', 4],
  ['0.25', 3],
])('gives the segment %s its part of 12', (segment, part) => {
  expect(shareOf(12, segment)).toBe(part);
});

it.each(['1/5', 'half'])('refuses the segment %s, which does not divide 12', (segment) => {
  expect(() => shareOf(12, segment)).toThrow(`the execution segment ${segment}`);
});
