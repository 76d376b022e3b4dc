import { expect, it } from 'vitest';
import { describeOutcome, done, mapDone, refused, unknown } from './outcome.ts';

it('an outcome is described in a few words', () => {
  expect(describeOutcome(done({ id: 'x' }))).toBe('done');
  expect(describeOutcome(done('SUCCESS'))).toBe('SUCCESS');
  expect(describeOutcome(refused('NO_SUCH_RATE', 'for the log'))).toBe('refused: NO_SUCH_RATE');
  expect(describeOutcome(unknown('timeout'))).toBe('unknown: timeout');
});

it('an outcome maps only the value of what was done', () => {
  expect(mapDone(done(2), (value) => value + 1)).toEqual(done(3));
  expect(mapDone(unknown('timeout'), () => 1)).toEqual(unknown('timeout'));
});
