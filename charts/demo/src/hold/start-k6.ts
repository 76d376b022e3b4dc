import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadTarget } from '../load/load.types.ts';
import type { Figures } from './hold.types.ts';
import { readFigures } from './read-figures.ts';

const script = join(import.meta.dirname, '..', '..', 'k6', 'hold.js');

const forK6 = ({
  name,
  host,
  port,
  path,
  method,
  headers,
  body,
  everyMs,
  connections,
}: LoadTarget) => ({
  name: `${name}, ${connections} connections`,
  method: method ?? 'GET',
  url: `http://${host}:${port}${path}`,
  body,
  headers: { ...headers, ...(connections === 'new' && { connection: 'close' }) },
  perMinute: Math.round(60_000 / everyMs),
});

interface RunningK6 {
  /** Ends the load. Returns the results of the requests. */
  stop(): Promise<Figures>;
}

/** Starts k6 with the targets. It runs until it is stopped. */
export const startK6 = (targets: readonly LoadTarget[]): RunningK6 => {
  const folder = mkdtempSync(join(tmpdir(), 'hold-'));
  const output = join(folder, 'points.json');
  const env = {
    ...process.env,
    TARGETS: JSON.stringify(targets.map(forK6)),
    HOSTS: JSON.stringify(Object.fromEntries(targets.map(({ host, address }) => [host, address]))),
  };
  const args = [
    'run',
    '--quiet',
    '--no-usage-report',
    '--address=',
    `--out=json=${output}`,
    script,
  ];
  const child = spawn('k6', args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words += chunk;
  });
  const ended = once(child, 'close');
  return {
    async stop() {
      const until = Date.now();
      child.kill('SIGINT');
      await ended;
      try {
        const figures = readFigures(readFileSync(output, 'utf8'), until);
        if (figures.sent === 0) throw new Error(`k6 sent nothing: ${words.slice(-500)}`);
        return figures;
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
};
