import { text } from 'node:stream/consumers';
import { createSystemClock } from '../../platform/clock/clock.ts';
import { createTimers } from '../../platform/clock/timers.ts';
import { createFollowedClock } from '../../platform/clock/followed-clock.ts';
import { ConfigError, parseConfig } from '../../platform/config/config.ts';
import { createSecretHasher, createVault } from '../../platform/crypto/index.ts';
import { createDatabase, isDatabaseOutOfReach } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { createLogger, describeError } from '../../platform/observability/index.ts';
import { openKeyring, type OpenKeyring } from '../../runtime/open-keyring.ts';
import { keyringVariables, operatorVariables } from './operator.variables.ts';
import { parseCommand } from './parse-command.ts';
import { runOperatorCommand } from './run-command.ts';

interface Movable {
  readonly CLOCK_CONTROL: boolean;
  readonly CLOCK_URL: string | undefined;
}

/** Creates the business clock, which a development stack may have moved. */
const createClock = async ({ CLOCK_CONTROL: isMovable, CLOCK_URL: url }: Movable) => {
  if (!isMovable || url === undefined) return { clock: createSystemClock(), stop: async () => {} };
  const clock = createFollowedClock({ url });
  await clock.start();
  return { clock, stop: () => clock.stop() };
};

const main = async (args: readonly string[]): Promise<void> => {
  const command = parseCommand(args);
  const config = parseConfig(operatorVariables, process.env);
  const database = createDatabase({
    url: config.DATABASE_URL,
    poolSize: 1,
    applicationName: 'operator',
  });
  const { clock, stop } = await createClock(config);
  const random = createRandom();
  let keys: OpenKeyring | undefined;
  const openKeys = () => {
    const { PII_KEYRING } = parseConfig(keyringVariables, process.env);
    const logger = createLogger({ level: 'silent', name: 'operator' });
    const adapter = { clock, logger };
    const deps = { db: database.db, timers: createTimers(), random, adapter };
    return (keys ??= openKeyring(PII_KEYRING, process.env, deps));
  };
  try {
    const document = await runOperatorCommand(command, {
      database,
      databaseUrl: config.DATABASE_URL,
      clock,
      random,
      hasher: createSecretHasher({ pepper: config.CREDENTIAL_PEPPER }),
      openVault: async () => {
        await openKeys().read();
        return createVault({ keyring: openKeys().keyring });
      },
      openKeys,
      readInput: () => text(process.stdin),
    });
    process.stdout.write(`${JSON.stringify(document)}\n`);
  } finally {
    await stop();
    await keys?.close();
    await database.close();
  }
};

/** Returns the error of the table for a failure. */
const appErrorOf = (error: unknown): AppError => {
  if (isAppError(error)) return error;
  if (error instanceof ConfigError) return new AppError('INTERNAL', { message: error.message });
  if (isDatabaseOutOfReach(error)) {
    return new AppError('SERVICE_UNAVAILABLE', { message: 'The database does not respond.' });
  }
  return new AppError('INTERNAL', { message: describeError(error).message });
};

main(process.argv.slice(2)).catch((error: unknown) => {
  const { code, message, field } = appErrorOf(error);
  process.stderr.write(`${JSON.stringify({ error: { code, message, field } })}\n`);
  process.exitCode = 1;
});
