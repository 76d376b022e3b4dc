import { randomBytes } from 'node:crypto';
import { createAdminClient } from '@digital-gold/client';
import { buildApps } from '../../build.ts';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { resolveLoss } from './after-loss.ts';
import { createDrill, dist, makeCustomers, prepareSchema, runDrill } from './drill.ts';
import { openGoldctl } from './goldctl.ts';
import { openGround, withDatabase, type Ground } from './ground.ts';
import { createLedger } from './ledger.ts';
import { runLoad } from './load.ts';
import { missingPrograms, openBackedUp, type BackedUpDatabase } from './pgbackrest.ts';
import { addProcess, drawsOf, makeProduct, type App } from './run.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/**
 * `make restore-drill` backs the database up to an S3 under load, deletes the server, and restores
 * it to an earlier time on a second one, with the second copy of the keys. Then it follows the
 * runbook until the collaborators' books agree with the restored data.
 */

const firstPort = Number(process.env['RESTORE_PORT_BASE'] ?? '5700');
const customerCount = Number(process.env['CUSTOMERS'] ?? '6');
/**
 * The time under load before and after the time to which the database is restored, in milliseconds.
 */
const [beforeMs, afterMs] = [12_000, 10_000];

const drill = createDrill();
const { timers, log, print } = drill;

const apps: readonly App[] = ['customer', 'admin', 'worker'];

const startApps = async (ground: Ground, supervisor: Supervisor, changes: ProcessEnvironment) => {
  for (const app of apps) addProcess(ground, supervisor, { app, name: app, dist, changes });
  await supervisor.untilReady();
};

/**
 * Fetches a customer's document, which can only be opened with the keys. Returns the status of the
 * answer.
 */
const readDocument = async ({ endpoints }: Ground, userId: string): Promise<number> => {
  const visitor = createAdminClient({ baseUrl: endpoints.admin, clientAddress: '10.9.9.7' });
  const { body } = await visitor.post('/v1/auth/login', { body: endpoints.admins.SUPER_ADMIN });
  const operator = visitor.with({ token: body.accessToken });
  const query = { status: 'APPROVED', limit: 100 } as const;
  const { items } = (await operator.get('/v1/kyc', { query })).body;
  const record = items.find((item) => item.userId === userId);
  const path = `/v1/kyc/${record?.id ?? ''}/documents/PAN`;
  const headers = { authorization: `Bearer ${body.accessToken}` };
  return (await fetch(`${endpoints.admin}${path}`, { headers })).status;
};

const mustBeDone = <T>(outcome: { readonly kind: string; readonly value?: T }): T | undefined => {
  if (outcome.kind !== 'done') throw new Error(`the keys' place says ${outcome.kind}`);
  return outcome.value;
};

interface Opened {
  readonly ground: Ground;
  readonly database: BackedUpDatabase;
  readonly supervisor: Supervisor;
}

const play = async ({ ground, database, supervisor }: Opened): Promise<boolean> => {
  const { endpoints } = ground;
  await prepareSchema(ground);
  const ring = `k1:${randomBytes(32).toString('base64')}`;
  mustBeDone(await database.keys.put('keyring', Buffer.from(ring), 'text/plain'));
  addProcess(ground, supervisor, { app: 'sandbox', name: 'sandbox', dist });
  await startApps(ground, supervisor, { PII_KEYRING: ring });
  const draw = drawsOf(7);
  const customers = await makeCustomers(ground, [endpoints.customer], {
    count: customerCount,
    draw,
  });
  const productId = await makeProduct(ground);
  const ledger = createLedger();
  const stopping = new AbortController();
  const load = { customers, ledger, productId, timers, draw, signal: stopping.signal };
  const running = runLoad({ ...load, sandboxUrl: endpoints.sandbox, atOnce: 6, pauseMs: 300 });
  const backedUpAt = performance.now();
  await database.backUp();
  print(`A full backup under load took ${seconds(backedUpAt)} s.`);
  await timers.sleep(beforeMs);
  const moment = await database.moment();
  log(`the database will go back to ${moment}`);
  await timers.sleep(afterMs);
  stopping.abort();
  await running;
  await supervisor.stop(apps);
  await database.lose();
  log('the server is gone');
  const restoredAt = performance.now();
  const { adminUrl } = await database.restoreTo(moment);
  print(
    `Restored to a moment on a second server, and backed up there, in ${seconds(restoredAt)} s.`,
  );
  const restored = withDatabase(ground, adminUrl);
  const found = mustBeDone(await database.keys.get('keyring'));
  const keys = { PII_KEYRING: found?.bytes.toString() ?? '' };
  await startApps(restored, supervisor, keys);
  const status = await readDocument(restored, customers[0]?.userId ?? '');
  print(`A customer's paper opens with the keys of the second place: ${status}`);
  if (status !== 200) ledger.find('a paper does not open', String(status));
  const goldctl = openGoldctl(restored, log);
  return resolveLoss({ ground: restored, goldctl, ledger, timers, log, print });
};

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

const main = async (): Promise<boolean> => {
  await buildApps();
  let database: BackedUpDatabase | undefined;
  const ground = await openGround('restore', firstPort, async (place) => {
    database = await openBackedUp(place, firstPort + 24);
    return database;
  });
  const supervisor = createSupervisor(ground.logs);
  try {
    if (database === undefined) throw new Error('there is no database');
    const isWhole = await play({ ground, database, supervisor });
    drill.writeReport(ground);
    return isWhole;
  } finally {
    await supervisor.stop();
    await ground.close();
  }
};

await runDrill(main, missingPrograms());
