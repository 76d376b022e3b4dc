import { execFileSync, fork } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createTestServers } from '../support/test-servers.ts';
import { playSeed } from './play-seed.ts';
import { addToTally, seedsPlayed } from './tally.ts';

/*
 * Plays seeds and prints what it found: SEEDS of them from SEED on, each of STEPS steps, for at
 * most MINUTES. AT_ONCE processes play beside each other, each on separate stores. TRIES limits the
 * stories that are played to shorten a failed story. REPORT names a file that keeps everything
 * printed. TALLY names a file to which every seed adds a line: its steps, whether it held, and the
 * commit. Seeds that are in it with as many steps are not played again, so that a long run that was
 * stopped continues where it was. Exits with 1 if a seed failed.
 */

/**
 * The maximum number of seeds for a process. It is low, so that the processes end at about the same
 * time, but not so low that starting them takes most of the time.
 */
const maxSeedsOfProcess = 8;

interface Tally {
  readonly held: number;
  readonly failed: number;
  readonly steps: number;
}

const numberFrom = (name: string, fallback: number): number => {
  const text = process.env[name] ?? '';
  return /^\d+$/u.test(text) ? Number(text) : fallback;
};

const report = process.env['REPORT'] ?? '';
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
  if (report !== '') appendFileSync(report, `${line}\n`);
};

const first = numberFrom('SEED', Math.floor(Date.now() / 1000) % 100_000_000);
const seeds = numberFrom('SEEDS', 1);
const steps = numberFrom('STEPS', 1000);
const tries = numberFrom('TRIES', 60);
const atOnce = numberFrom('AT_ONCE', 1);
const startedAt = performance.now();
const endsAt = startedAt + numberFrom('MINUTES', 24 * 60) * 60_000;

const tallyFile = process.env['TALLY'] ?? '';
const known = seedsPlayed(tallyFile, steps);

const readCommit = (): string => {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
};
const commit = tallyFile === '' ? '' : (process.env['COMMIT'] ?? readCommit());

const isOver = (failed: number): boolean =>
  performance.now() >= endsAt || (failed > 0 && process.env['STOP_AT_FIRST'] === 'true');

/** Plays seeds in this process. */
const playHere = async (): Promise<Tally> => {
  const servers = createTestServers({
    adminUrl: process.env['DATABASE_URL'],
    redisUrl: process.env['REDIS_URL'],
  });
  let tally: Tally = { held: 0, failed: 0, steps: 0 };
  try {
    for (let seed = first; seed < first + seeds && !isOver(tally.failed); seed += 1) {
      if (known.has(seed)) continue;
      const count = await playSeed({ servers, seed, steps, print, tries });
      const held = count !== undefined;
      addToTally(tallyFile, { seed, steps, held, commit, at: new Date().toISOString() });
      const { failed, steps: sum } = tally;
      tally =
        count === undefined
          ? { ...tally, failed: failed + 1 }
          : { ...tally, held: tally.held + 1, steps: sum + count };
    }
  } finally {
    await servers.stop();
  }
  return tally;
};

/** Plays `count` seeds from `seed` on in a separate process. */
const playApart = (seed: number, count: number): Promise<Tally> =>
  new Promise((resolve, reject) => {
    const minutes = Math.max(1, Math.ceil((endsAt - performance.now()) / 60_000));
    const changes = { SEED: seed, SEEDS: count, AT_ONCE: 1, MINUTES: minutes, COMMIT: commit };
    const texts = Object.entries(changes).map(([name, value]) => [name, String(value)]);
    const env = { ...process.env, ...Object.fromEntries(texts) };
    const child = fork(import.meta.filename, { env });
    let tally: Tally | undefined;
    child.on('message', (message) => (tally = message as Tally)); // this file sends it
    child.once('error', reject);
    child.once('exit', (code) => {
      if (tally !== undefined) resolve(tally);
      else reject(new Error(`the seeds from ${seed} on ended with ${String(code)}`));
    });
  });

/** Plays seeds in several processes, one after another and beside each other. */
const playInProcesses = async (): Promise<Tally> => {
  let [next, sum]: [number, Tally] = [first, { held: 0, failed: 0, steps: 0 }];
  const playOn = async (): Promise<void> => {
    while (next < first + seeds && !isOver(sum.failed)) {
      const [seed, count] = [next, Math.min(maxSeedsOfProcess, first + seeds - next)];
      next += count;
      const isKnown = (_: unknown, at: number): boolean => known.has(seed + at);
      if (Array.from({ length: count }).every(isKnown)) continue;
      const { held, failed, steps: played } = await playApart(seed, count);
      sum = { held: sum.held + held, failed: sum.failed + failed, steps: sum.steps + played };
    }
  };
  await Promise.all(Array.from({ length: atOnce }, playOn));
  return sum;
};

const isOne = seeds <= maxSeedsOfProcess && atOnce === 1;
const tally = await (isOne ? playHere() : playInProcesses());
const code = tally.failed === 0 ? 0 : 1;
if (process.send === undefined) {
  const rate = (tally.steps / ((performance.now() - startedAt) / 1000)).toFixed(0);
  print(
    `${tally.held} seeds from ${first} on held, ${tally.steps} steps, ${rate} a second; ` +
      `${tally.failed} failed`,
  );
  process.exit(code);
}
process.send(tally, () => process.exit(code));
