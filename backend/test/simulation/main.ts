import { createTestServers } from '../support/test-servers.ts';
import { playSeed } from './play-seed.ts';

/* Plays seeds, prints what it found, and ends with 1 where a seed failed. */

const numberFrom = (name: string, usual: number): number => {
  const text = process.env[name] ?? '';
  return /^\d+$/u.test(text) ? Number(text) : usual;
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const first = numberFrom('SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const seeds = numberFrom('SEEDS', 1);
const steps = numberFrom('STEPS', 1000);
const tries = numberFrom('TRIES', 60);

const servers = createTestServers({
  adminUrl: process.env['DATABASE_URL'],
  redisUrl: process.env['REDIS_URL'],
});
let failed = 0;
try {
  for (let seed = first; seed < first + seeds; seed += 1) {
    const isFine = await playSeed({ servers, seed, steps, print, tries });
    if (!isFine) failed += 1;
  }
} finally {
  await servers.stop();
}
print(failed === 0 ? 'every seed held' : `${failed} of ${seeds} seeds failed`);
process.exit(failed === 0 ? 0 : 1);
