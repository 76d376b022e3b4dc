import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openOwnPostgres, type OwnPostgres } from '#test/support/own-postgres.ts';
import { spreadHosts } from '../config/several-hosts.ts';
import { toAppError } from '../http/error-middleware.ts';
import { createClient, createDatabase } from './index.ts';

/** Of two servers one takes writes, as of a leader and its standby. */
let servers: readonly [OwnPostgres, OwnPostgres];
const lead = async (which: 0 | 1): Promise<void> => {
  await servers[1 - which]?.set('default_transaction_read_only', 'on');
  await servers[which].set('default_transaction_read_only', 'off');
};
beforeAll(async () => {
  servers = [await openOwnPostgres(), await openOwnPostgres()];
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** An address that names both, as libpq writes it. */
const addressOfBoth = (): string => {
  const [one, other] = servers.map(({ url }) => new URL(url));
  const written = one?.href.replace(one.host, `${one.host},${other?.host}`) ?? '';
  const spread = spreadHosts(`${written}?target_session_attrs=read-write`);
  if ('problem' in spread) throw new Error(spread.problem);
  return spread.text;
};

const open = () => {
  const database = createDatabase({ url: addressOfBoth(), poolSize: 3, applicationName: 'test' });
  onTestFinished(() => database.close());
  return database;
};

const portOf = async (db: ReturnType<typeof open>['db']): Promise<string> => {
  const [row] = await db.$queryRaw<{ port: string }[]>`SELECT current_setting('port') AS port`;
  return row?.port ?? '';
};
const port = (which: 0 | 1): string => new URL(servers[which].url).port;

it('the pool connects to the one that takes writes, whichever place it has in the address', async () => {
  for (const which of [0, 1, 0] as const) {
    await lead(which);
    await eventually(async () => expect(await portOf(open().db)).toBe(port(which)));
    const client = createClient({ connectionString: addressOfBoth() });
    await client.connect();
    const { rows } = await client.query("SELECT current_setting('port') AS port");
    await client.end();
    expect(rows).toEqual([{ port: port(which) }]);
  }
});

it('the pool follows when another one leads, and says that it is away while none does', async () => {
  await lead(0);
  const database = open();
  const { db } = database;
  await eventually(async () => expect(await portOf(db)).toBe(port(0)));
  await database.ping();
  await servers[0].set('default_transaction_read_only', 'on');
  await eventually(async () => {
    const writing = db.$executeRaw`CREATE TABLE IF NOT EXISTS note (id int)`;
    const failure: unknown = await writing.catch((error: unknown) => error);
    expect(toAppError(failure).code).toBe('SERVICE_UNAVAILABLE');
  });
  await lead(1);
  // The watch finds the new one, and gives up whatever led to the old one.
  await eventually(async () => expect(await portOf(db)).toBe(port(1)));
  await eventually(() => database.ping());
});
