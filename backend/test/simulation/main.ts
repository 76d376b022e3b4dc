import { appendFileSync } from 'node:fs';
import { createTestServers } from '../support/test-servers.ts';
import { playSeed } from './play-seed.ts';

/*
 * Plays seeds and prints what it found: SEEDS of them from SEED on, each of STEPS steps, for at most
 * MINUTES. TRIES bounds the stories that are played to shorten one that failed. REPORT names a file
 * that everything printed is kept in. Ends with 1 where a seed failed.
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
let [played, failed] = [0, 0];
try {
  for (let seed = first; seed < first + seeds && performance.now() < endsAt; seed += 1) {
    played += 1;
    if (!(await playSeed({ servers, seed, steps, print, tries }))) failed += 1;
    if (failed > 0 && process.env['STOP_AT_FIRST'] === 'true') break;
  }
} finally {
  await servers.stop();
}
print(
  failed === 0
    ? `${played} seeds from ${first} on held, ${played * steps} steps`
    : `${failed} of ${played} seeds from ${first} on failed`,
);
process.exit(failed === 0 ? 0 : 1);
