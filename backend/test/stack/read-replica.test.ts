import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillDatabase } from '../../dev/fill/fill-database.ts';
import { developmentPortalUsers } from '../../dev/stack/development-accounts.ts';
import { onDatabase, withConnection } from '../../dev/stack/database-setup.ts';
import { seedDatabase } from '../../dev/stack/seed-database.ts';
import { eventually } from '#test/support/eventually.ts';
import { openStandbyPair, type StandbyPair } from '#test/support/standby-pair.ts';
import type { StartedProcess } from '#test/support/start-process.ts';
import { createTestStack, type TestStack } from '#test/support/test-stack.ts';

const backend = join(import.meta.dirname, '..', '..');
const orders = 30_000;
const span = { from: new Date('2025-01-01T00:00:00Z'), to: new Date('2026-01-01T00:00:00Z') };
const patient = { timeoutMs: 120_000 };

let pair: StandbyPair;
let stack: TestStack;
let accounting: StartedProcess;
let token = '';

const asAdministrator = <T extends object>(
  { adminUrl }: { readonly adminUrl: string },
  text: string,
): Promise<T[]> =>
  withConnection(onDatabase(adminUrl, 'digital_gold'), async (client) => {
    // The servers of tests do not wait for their log, so it could be written after the answer.
    await client.query('SET synchronous_commit = on');
    return (await client.query<T>(text)).rows;
  });

beforeAll(async () => {
  // The standby waits for no reader: whatever is in the way of its replay is ended at once.
  const impatient = ['max_standby_streaming_delay = 0', 'hot_standby_feedback = off'];
  [pair, stack] = await Promise.all([openStandbyPair(impatient), createTestStack()]);
  const { databaseUrl, migrateUrl } = pair.primary;
  await seedDatabase(backend, { ...stack.addresses, databaseUrl, migrateUrl });
  await fillDatabase(migrateUrl, { series: 1, orders, users: 1000, ...span });
  accounting = await stack.start('accounting', {
    DATABASE_URL: databaseUrl,
    DATABASE_READ_URL: pair.standby.databaseUrl,
  });
  const signIn = await fetch(`${accounting.url}/api/v1/accounting/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(developmentPortalUsers.accountant),
  });
  if (!signIn.ok) throw new Error(`the sign-in was refused: ${signIn.status}`);
  ({ token } = (await signIn.json()) as { token: string }); // the answer's own view
});

afterAll(async () => {
  await stack.stop();
  await pair.close();
});

/** Returns the value of the series of a name that has a label, or undefined if there is none. */
const metric = async (name: string, label = ''): Promise<number | undefined> => {
  const text = await (await fetch(`${accounting.internalUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

const answersOf = async (from: string): Promise<number> =>
  (await metric('stale_reads_total', `from="${from}"`)) ?? 0;

/** Waits until the process knows that the standby has whatever was written so far. */
const untilItKeepsUp = async (): Promise<void> => {
  const [written] = await asAdministrator<{ at: string }>(
    pair.primary,
    `SELECT pg_current_wal_lsn()::text AS at`,
  );
  await eventually(async () => {
    const [row] = await asAdministrator<{ has: boolean }>(
      pair.standby,
      `SELECT pg_last_wal_replay_lsn() >= '${written?.at}'::pg_lsn AS has`,
    );
    expect(row?.has).toBe(true);
    const lag = await metric('database_replica_lag_seconds');
    expect(lag).toBeGreaterThanOrEqual(0);
    expect(lag).toBeLessThan(30);
  }, patient);
};

const openFile = (): Promise<Response> =>
  fetch(`${accounting.url}/api/v1/accounting/gold/buys?format=csv`, {
    headers: { 'x-portal-token': token },
  });

interface File {
  readonly status: number;
  readonly lines: number;
  /** The rows that its header announces. */
  readonly rows: number;
}

const readFile = async (): Promise<File> => {
  const response = await openFile();
  const lines = (await response.text()).trimEnd().split('\r\n').length;
  return {
    status: response.status,
    lines,
    rows: Number(response.headers.get('x-total-rows')),
  };
};

const conflicts = async (): Promise<number> => {
  const [row] = await asAdministrator<{ count: number }>(
    pair.standby,
    'SELECT sum(confl_snapshot)::int AS count FROM pg_stat_database_conflicts',
  );
  return row?.count ?? 0;
};

/** Cleans rows up on the primary that a reader of the standby may still see. */
const removeUnderReaders = async (): Promise<void> => {
  await asAdministrator(pair.primary, 'DELETE FROM notification');
  await asAdministrator(pair.primary, 'VACUUM notification');
};

it('the portal reads registers from the standby, and goes on by the primary where it fails', async () => {
  await untilItKeepsUp();
  const whole = await readFile();
  expect(whole.status).toBe(200);
  expect(whole.rows).toBeGreaterThan(orders / 2);
  expect(whole.lines).toBe(whole.rows + 1);
  const fromStandby = await answersOf('replica');
  expect(fromStandby).toBeGreaterThan(0);
  expect(await answersOf('primary')).toBe(0);

  const slow = (await openFile()).body?.getReader();
  if (slow === undefined) throw new Error('there is no file');
  expect((await slow.read()).done).toBe(false);
  const before = await conflicts();
  await removeUnderReaders();
  // Piece by piece, so that the server has not sent all of it before its replay is in the way.
  const readOn = async (): Promise<void> => {
    while (!(await slow.read()).done) await conflicts();
  };
  await expect(readOn()).rejects.toThrow('terminated');
  expect(await conflicts()).toBeGreaterThan(before);

  expect(await readFile()).toEqual(whole);
  expect(await answersOf('primary')).toBeGreaterThan(0);

  await pair.stopStandby();
  await eventually(async () => {
    expect(await metric('database_replica_lag_seconds')).toBe(-1);
  }, patient);
  expect(await readFile()).toEqual(whole);
  await pair.startStandby();
  await untilItKeepsUp();
});
