import { describe, expect, it } from 'vitest';
import { hasMoved, latenessMs, marksToHear, stepsOf, ticksOfMarks } from './feed-log.ts';

const tickMs = 10_000;

const at = (...times: readonly number[]) =>
  times.map((atMs, index) => ({ seq: index + 1, amounts: '1', atMs }));
const ticks = (...seqs: readonly number[]) => seqs.map((seq) => ({ seq, amounts: '1', atMs: 0 }));
const priced = (...all: readonly string[]) => all.map((amounts) => ({ seq: 1, amounts, atMs: 0 }));

describe('latenessMs', () => {
  it('is the time since the mark, or a little negative for a clock that is behind', () => {
    expect(latenessMs(50_000, tickMs)).toBe(0);
    expect(latenessMs(50_036, tickMs)).toBe(36);
    expect(latenessMs(59_600, tickMs)).toBe(9600);
    expect(latenessMs(59_899, tickMs)).toBe(9899);
    expect(latenessMs(59_900, tickMs)).toBe(-100);
  });
});

describe('marksToHear', () => {
  it('begins with the next mark, or the one after when that is at hand', () => {
    expect(marksToHear(50_001, tickMs, 3)).toEqual([60_000, 70_000, 80_000]);
    expect(marksToHear(59_749, tickMs, 1)).toEqual([60_000]);
    expect(marksToHear(59_750, tickMs, 1)).toEqual([70_000]);
    expect(marksToHear(60_000, tickMs, 1)).toEqual([70_000]);
  });
});

describe('ticksOfMarks', () => {
  const marks = [60_000, 70_000, 80_000];

  it('counts the ticks of each mark, a little early or late', () => {
    expect(ticksOfMarks(marks, at(59_990, 73_000, 80_030), tickMs)).toEqual([1, 1, 1]);
  });

  it('counts none or two where there are none or two, whatever else was heard', () => {
    expect(ticksOfMarks(marks, at(60_010, 60_020, 80_010), tickMs)).toEqual([2, 0, 1]);
    expect(ticksOfMarks(marks, [], tickMs)).toEqual([0, 0, 0]);
  });
});

describe('hasMoved', () => {
  it('tells a price that moves from one that stands', () => {
    expect(hasMoved(priced('1', '1', '2'))).toBe(true);
    expect(hasMoved(priced('1', '1'))).toBe(false);
  });

  it('says nothing of one tick', () => {
    expect(hasMoved(priced('1'))).toBeUndefined();
  });
});

describe('stepsOf', () => {
  it('goes up by one', () => {
    expect(stepsOf(4, ticks(5, 6, 7))).toEqual(['next', 'next', 'next']);
  });

  it('lets the first tick be that of the snapshot', () => {
    expect(stepsOf(5, ticks(5, 6))).toEqual(['next', 'next']);
  });

  it('finds gaps and repeats, also after the snapshot', () => {
    expect(stepsOf(4, ticks(6, 8, 8, 7))).toEqual(['gap', 'gap', 'repeat', 'repeat']);
    expect(stepsOf(4, ticks(3))).toEqual(['repeat']);
  });

  it('has nothing to say of a first tick without a snapshot', () => {
    expect(stepsOf(undefined, ticks(9, 10))).toEqual(['next']);
  });
});
