import { appendFileSync } from 'node:fs';
import { createTestServers } from '../support/test-servers.ts';
import { playSeed } from './play-seed.ts';

/*
 * Plays seeds and prints what it found: SEEDS of them from SEED on, each of STEPS steps, for at most
 * MINUTES, AT_ONCE of them beside each other. TRIES bounds the stories that are played to shorten
 * one that failed. REPORT names a file that everything printed is kept in. Ends with 1 where a seed
 * failed.
 */

const numberFrom = (name: string, usual: number): number => {
  const text = process.env[name] ?? '';
  return /^\d+$/u.test(text) ? Number(text) : usual;
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
const endsAt = performance.now() + numberFrom('MINUTES', 24 * 60) * 60_000;

const servers = createTestServers({
  adminUrl: process.env['DATABASE_URL'],
  redisUrl: process.env['REDIS_URL'],
});
const atOnce = numberFrom('AT_ONCE', 1);
const begun = performance.now();
let [next, held, failed, sum] = [first, 0, 0, 0];

const isOver = (): boolean =>
  next >= first + seeds ||
  performance.now() >= endsAt ||
  (failed > 0 && process.env['STOP_AT_FIRST'] === 'true');

/** Plays one seed after another until there are none. */
const playSeeds = async (): Promise<void> => {
  while (!isOver()) {
    const seed = next;
    next += 1;
    const count = await playSeed({ servers, seed, steps, print, tries });
    if (count === undefined) failed += 1;
    else [held, sum] = [held + 1, sum + count];
  }
};

try {
  await Promise.all(Array.from({ length: atOnce }, playSeeds));
} finally {
  await servers.stop();
}
const rate = (sum / ((performance.now() - begun) / 1000)).toFixed(0);
print(`${held} seeds from ${first} on held, ${sum} steps, ${rate} a second; ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
