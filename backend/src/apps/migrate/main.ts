import { createTimers } from '../../platform/clock/timers.ts';
import { parseConfig } from '../../platform/config/config.ts';
import { commands } from './commands.ts';
import { migrateVariables } from './migrate.variables.ts';
import { waitForDatabase } from './wait-for-database.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const usage = (): string =>
  [
    'migrate [COMMAND]',
    ...Object.entries(commands).map(([name, c]) => `  ${name}  ${c.about}`),
  ].join('\n');

/** Describes an error on one line, with PostgreSQL's hint if there is one. */
const explain = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const hint: unknown = Reflect.get(error, 'hint');
  return typeof hint === 'string' ? `${error.message} (${hint})` : error.message;
};

const main = async (args: readonly string[]): Promise<number> => {
  const [name = 'deploy', argument] = args;
  const command = commands[name];
  if (command === undefined) {
    print(usage());
    return name === 'help' ? 0 : 64;
  }
  const config = parseConfig(migrateVariables, process.env);
  const url = config.MIGRATE_DATABASE_URL;
  const seconds = config.MIGRATE_WAIT_SECONDS;
  await waitForDatabase({ url, seconds, timers: createTimers(), log: print });
  return command.run({ url, print }, argument);
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`migrate: ${explain(error)}\n`);
  process.exitCode = 1;
}
