import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect } from 'vitest';
import { z } from 'zod';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { lockRows } from '#test/support/lock-rows.ts';

/** The opened system in which a race runs. The runner only needs the database of the system. */
interface RaceGround {
  readonly databaseUrl: string;
}

/** Does work that may lock the row. Returns the answer as `answerOf` names it. */
export type Operation<Open, S> = (open: Open, subject: S) => Promise<string>;

/** Describes an answer by its status, with the code if it is a refusal. */
export const answerOf = (answer: { readonly status: number; readonly code: unknown }): string =>
  typeof answer.code === 'string' ? `${answer.status} ${answer.code}` : String(answer.status);

/** Describes a row in one state, and the operations that may change it in that state. */
interface RaceOf<Open, S> {
  /** Names the row and its state. */
  readonly name: string;
  readonly prepare: (open: Open) => Promise<S>;
  /** Selects the row FOR UPDATE: statement and values. */
  readonly row: (subject: S) => readonly [sql: string, ...values: string[]];
  readonly operations: Readonly<Record<string, Operation<Open, S>>>;
  /** Completes the work that the operations began, such as their queued jobs. */
  readonly settle: (open: Open, subject: S) => Promise<void>;
  /** Describes the final state. It leaves out values that differ from run to run, such as ids. */
  readonly state: (open: Open, subject: S) => Promise<string>;
  /**
   * Completes what the race left unfinished. It runs after `state`, so that the invariants hold when
   * the test ends.
   */
  readonly rest?: (open: Open, subject: S) => Promise<void>;
  /**
   * Lists additional allowed outcomes of a pair. They are outcomes of neither serial order, and each
   * has its reason beside it.
   */
  readonly also?: Readonly<Record<string, readonly string[]>>;
}

export interface Race<Open> {
  readonly name: string;
  /** All pairs of the operations, or every third one in a developer's run. */
  readonly pairs: readonly (readonly [string, string])[];
  /**
   * Runs two operations concurrently. Checks that the outcome is one of a serial order, or one that
   * `also` allows.
   */
  meets(open: Open, first: string, second: string): Promise<void>;
}

/** The rounds of each pair in the nightly run. If it is unset, every third pair runs once. */
const nightlyRounds = process.env['RACE_ROUNDS'];
const rounds = Number(nightlyRounds ?? '1');
/** True to record the outcomes of both serial orders, instead of checking any outcome. */
const isLearning = process.env['RACES_LEARN'] === 'true';

const timers = createTimers();
const random = createRandom();
const bookFile = (book: string): string => join(import.meta.dirname, 'outcomes', `${book}.json`);
const bookShape = z.record(z.string(), z.record(z.string(), z.array(z.string())));
type Book = z.output<typeof bookShape>;

const readBook = (book: string): Book =>
  existsSync(bookFile(book))
    ? bookShape.parse(JSON.parse(readFileSync(bookFile(book), 'utf8')))
    : {};

const writeBook = (book: string, race: string, pair: string, ends: readonly string[]): void => {
  const known = readBook(book);
  const changed = { ...known, [race]: { ...known[race], [pair]: [...ends] } };
  writeFileSync(bookFile(book), `${JSON.stringify(changed, undefined, 2)}\n`);
};

const countBlocked = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ blocked: number }>(
    `SELECT count(*)::int AS blocked FROM pg_stat_activity
     WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return rows[0]?.blocked ?? 0;
};

/** The longest time that the row stays locked. An operation may finish without locking it. */
const holdMs = 150;

/**
 * Locks the row until both operations wait for it or have finished, so that they continue at the
 * same moment.
 */
const runHeld = async (
  { databaseUrl }: RaceGround,
  [sql, ...values]: readonly [string, ...string[]],
  works: readonly (() => Promise<string>)[],
): Promise<string[]> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const lock = await lockRows(databaseUrl, sql, values);
  let finished = 0;
  const running = works.map(async (work) => {
    try {
      return await work();
    } finally {
      finished += 1;
    }
  });
  try {
    const deadline = performance.now() + holdMs;
    while (performance.now() < deadline && finished + (await countBlocked(client)) < works.length) {
      await timers.sleep(5);
    }
  } finally {
    await lock.release();
    await client.end();
  }
  return Promise.all(running);
};

type Works = readonly (() => Promise<string>)[];
type Run<Open, S> = (open: Open, subject: S, works: Works) => Promise<string[]>;

/** Starts the second operation up to 40 ms later, so that it meets the first one at any point. */
const loose: Run<unknown, unknown> = (_open, _subject, works) =>
  Promise.all(
    works.map(async (work, index) => {
      if (index > 0) await timers.sleep(random.int(40));
      return work();
    }),
  );

const inTurn: Run<unknown, unknown> = async (_open, _subject, works) => {
  const answers: string[] = [];
  for (const work of works) answers.push(await work());
  return answers;
};

const backwards: Run<unknown, unknown> = async (open, subject, works) =>
  (await inTurn(open, subject, works.toReversed())).toReversed();

/** Returns every pair of the names, including each name with itself. */
const pairsOf = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((first, index) => names.slice(index).map((second) => [first, second] as const));

/** Creates a race. The file `outcomes/BOOK.json` has the outcomes that are allowed. */
export const createRace = <Open extends RaceGround, S>(
  book: string,
  race: RaceOf<Open, S>,
): Race<Open> => {
  const { name, operations } = race;
  const run = async (
    open: Open,
    names: readonly [string, string],
    how: Run<Open, S>,
  ): Promise<string> => {
    const subject = await race.prepare(open);
    const works = names.map((each) => () => {
      const work = operations[each];
      if (work === undefined) throw new Error(`${name} has no ${each}`);
      return work(open, subject);
    });
    const answers = await how(open, subject, works);
    await race.settle(open, subject);
    const [first, second] = names;
    const reported = first === second ? answers.toSorted() : answers;
    const end = `${reported.join(', ')}: ${await race.state(open, subject)}`;
    await race.rest?.(open, subject);
    return end;
  };
  const held: Run<Open, S> = (open, subject, works) => runHeld(open, race.row(subject), works);
  const all = pairsOf(Object.keys(operations));
  const isWhole = isLearning || nightlyRounds !== undefined;
  return {
    name,
    pairs: isWhole ? all : all.filter((_pair, index) => index % 3 === 0),
    async meets(open, first, second) {
      const pair = `${first} + ${second}`;
      const names = [first, second] as const;
      if (isLearning) {
        const ends = new Set([await run(open, names, inTurn), await run(open, names, backwards)]);
        writeBook(book, name, pair, [...ends]);
        return;
      }
      const allowed = [...(readBook(book)[name]?.[pair] ?? []), ...(race.also?.[pair] ?? [])];
      for (let round = 0; round < rounds; round += 1) {
        const end = await run(open, names, round % 2 === 0 ? held : loose);
        const verdict = allowed.includes(end) ? 'allowed' : end;
        expect(verdict, `${pair}, round ${round}; allowed:\n${allowed.join('\n')}`).toBe('allowed');
      }
    },
  };
};
