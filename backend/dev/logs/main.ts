import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pretty from 'pino-pretty';
import { longRunning } from '../stack/environment.ts';
import { explain } from '../stack/explain.ts';
import { readStackOptions } from '../stack/stack-options.ts';

/**
 * Follows the logs of the running stack. On a terminal the lines are formatted for people.
 * Otherwise they stay JSON, so that `make logs | jq` works. `APP` names one process, and `LINES` is
 * the number of earlier lines.
 */

const repository = resolve(import.meta.dirname, '..', '..', '..');

/** Fields that each line has, which are shown in its head or are of no use to a reader. */
const ignore = 'pid,hostname,service';

const readable = (): ReturnType<typeof pretty> =>
  pretty({
    ignore,
    colorize: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: (log, key) => `${String(log['service']).padEnd(10)} ${String(log[key])}`,
    singleLine: true,
  });

const logFiles = (app: string): string[] => {
  const { paths } = readStackOptions(repository, process.env);
  const names = longRunning.filter((name) => app === '' || name === app);
  if (names.length === 0) throw new Error(`APP must be one of ${longRunning.join(', ')}`);
  const files = names.map((name) => join(paths.logs, `${name}.log`)).filter(existsSync);
  if (files.length === 0) throw new Error('there is no log: "make up" starts the stack');
  return files;
};

try {
  const { APP: app = '', LINES: lines = '' } = process.env;
  if (!/^\d*$/u.test(lines)) throw new Error('LINES must be a number');
  const shown = lines === '' ? '20' : lines;
  // `-F` continues with the new file when a process is started again.
  const tail = spawn('tail', ['-q', '-n', shown, '-F', ...logFiles(app)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  tail.stdout.pipe(process.stdout.isTTY ? readable() : process.stdout);
  // The reader of a pipe may leave first.
  process.stdout.on('error', () => tail.kill());
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
