/** A tick that a socket received. Times are in ms by the clock of the load test. */
export interface HeardTick {
  readonly seq: number;
  /** Its amounts as one text. */
  readonly amounts: string;
  readonly atMs: number;
}

/** The step from one tick to the next. */
type Step = 'next' | 'gap' | 'repeat';

/** A tick may arrive this much before its mark, because clocks differ. Any later tick is late. */
const earlyPart = 0.01;
/**
 * A socket that joins within this part of a tick before a mark need not receive that mark's tick.
 */
const joinPart = 0.025;

/** Returns the wall clock's mark to which `atMs` belongs. */
export const markOf = (atMs: number, tickMs: number): number =>
  Math.floor((atMs + tickMs * earlyPart) / tickMs) * tickMs;

/** Returns the time from the mark to its tick, negative if before it by a clock that differs. */
export const latenessMs = (atMs: number, tickMs: number): number => atMs - markOf(atMs, tickMs);

/** Returns the next `count` marks after a socket joined at `joinedAtMs`. Each must bring a tick. */
export const marksToHear = (joinedAtMs: number, tickMs: number, count: number): number[] => {
  const first = (Math.floor((joinedAtMs + tickMs * joinPart) / tickMs) + 1) * tickMs;
  return Array.from({ length: count }, (_, index) => first + index * tickMs);
};

/** Returns for each mark how many of its ticks were received. */
export const ticksOfMarks = (
  marks: readonly number[],
  ticks: readonly HeardTick[],
  tickMs: number,
): number[] => {
  const heard = ticks.map(({ atMs }) => markOf(atMs, tickMs));
  return marks.map((mark) => heard.filter((other) => other === mark).length);
};

/** Returns true if not all ticks have the same amounts, or undefined for fewer than two ticks. */
export const hasMoved = (ticks: readonly HeardTick[]): boolean | undefined =>
  ticks.length < 2 ? undefined : new Set(ticks.map(({ amounts }) => amounts)).size > 1;

const stepBetween = (before: number, seq: number): Step => {
  if (seq <= before) return 'repeat';
  return seq === before + 1 ? 'next' : 'gap';
};

/**
 * Returns how each tick follows the one before. The first one follows the snapshot that came before
 * it. A snapshot is read before its tick is sent to all, so that the first tick may be the
 * snapshot's own.
 */
export const stepsOf = (snapshotSeq: number | undefined, ticks: readonly HeardTick[]): Step[] =>
  ticks.flatMap(({ seq }, index) => {
    const before = ticks[index - 1]?.seq;
    if (before !== undefined) return [stepBetween(before, seq)];
    if (snapshotSeq === undefined) return [];
    return [seq === snapshotSeq ? 'next' : stepBetween(snapshotSeq, seq)];
  });
