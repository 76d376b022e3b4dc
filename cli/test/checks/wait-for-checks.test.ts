import { describe, expect, it } from 'vitest';
import { toRecord, type CheckStatus } from '../../src/checks/check.types.ts';
import { waitForChecks, type CheckRun } from '../../src/checks/run-checks.ts';
import { CliError, exitCodes } from '../../src/cli-error.ts';
import { parseDuration } from '../../src/io/parse-duration.ts';

const check = { id: 'pods-ready', category: 'pods', title: 'a thing', hint: 'mend it' } as const;

const round = (...statuses: readonly CheckStatus[]): CheckRun => ({
  records: statuses.map((status, index) =>
    toRecord(check, { status, title: `thing ${index + 1}`, detail: '' }),
  ),
  stop: undefined,
});

/** Plays the rounds given, the last one for ever. Time passes only by sleeping. */
const play = async (waitMs: number, rounds: readonly CheckRun[]) => {
  let now = 0;
  let count = 0;
  const printed: string[] = [];
  const deps = {
    now: () => new Date(now),
    sleep: async (ms: number) => {
      now += ms;
    },
    stderr: (text: string) => void printed.push(text),
    signal: new AbortController().signal,
  };
  const result = await waitForChecks(deps, waitMs, async () => {
    const next = rounds[Math.min(count, rounds.length - 1)];
    count += 1;
    if (next === undefined) throw new Error('no round');
    return next;
  });
  return { result, count, printed, now };
};

describe('waiting', () => {
  it('ends with the first round in which all holds', async () => {
    const well = round('ok', 'warning', 'not-run');
    const played = await play(60_000, [round('failed'), round('unknown'), well, round('failed')]);
    expect(played).toMatchObject({ result: well, count: 3, now: 4000 });
  });

  it('is one round when nobody wants to wait', async () => {
    const failed = round('failed');
    expect(await play(0, [failed])).toMatchObject({ result: failed, count: 1, printed: [] });
  });

  it('looks once more at the deadline, and not after it', async () => {
    const played = await play(5000, [round('failed')]);
    expect(played).toMatchObject({ count: 4, now: 5000 });
  });

  it('tells what it waits for, and again only when that changes', async () => {
    const many = round('failed', 'failed', 'unknown', 'failed');
    const { printed } = await play(60_000, [many, many, round('ok', 'failed'), round('ok')]);
    expect(printed).toEqual([
      'waiting: thing 1; thing 2; thing 3 and 1 more\n',
      'waiting: thing 2\n',
    ]);
  });

  it('waits for a stack that is not there yet, not for credentials to become right', async () => {
    const stopped = (code: 4 | 5): CheckRun => ({
      ...round('failed'),
      stop: new CliError('stopped', code),
    });
    expect((await play(60_000, [stopped(exitCodes.unreachable), round('ok')])).count).toBe(2);
    expect((await play(60_000, [stopped(exitCodes.denied), round('ok')])).count).toBe(1);
  });
});

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
  ])('%s is read', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', 's', '-1s', '1.5s', '0s', '25h', '1d', '5 m', '5mm'])(
    '%j is refused',
    (text) => {
      expect(() => parseDuration(text)).toThrow('It must be a duration');
    },
  );
});
