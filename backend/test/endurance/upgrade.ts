import { join } from 'node:path';
import { buildApps } from '../../build.ts';
import { environmentOf } from '../../dev/stack/environment.ts';
import { migrateDatabase } from '../../dev/stack/migrate-database.ts';
import { seedDatabase } from '../../dev/stack/seed-database.ts';
import { checkAtRest } from './at-rest.ts';
import { createDrill, makeCustomers, runDrill } from './drill.ts';
import { buildEarlier, queueVersionHere } from './earlier-build.ts';
import { forwardWebhooks } from './forward-webhooks.ts';
import { giveEvidence } from './give-evidence.ts';
import { openGround, type Ground } from './ground.ts';
import { keepBuild } from './keep-build.ts';
import { createLedger } from './ledger.ts';
import { runLoad } from './load.ts';
import { addProcess, drawsOf, listCounts, makeProduct, type App } from './run.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/**
 * `make upgrade-test FROM=commit [TO=commit]` runs an earlier build and this one (or that of `TO`)
 * under load. They run at the same time and one after the other, before, during and after the
 * migration, and after a rollback of the build. At rest afterwards, the rules of the books must
 * hold, and nothing may be stuck or lost.
 */

const backend = join(import.meta.dirname, '..', '..');
const repository = join(backend, '..');
const seconds = Number(process.env['PHASE'] ?? '20');
const firstPort = Number(process.env['UPGRADE_PORT_BASE'] ?? '5400');

const drill = createDrill();
const { timers, report: log } = drill;

const apps: readonly App[] = ['customer', 'admin', 'worker'];

/** Creates the processes of a build, which start and stop together. */
const createFleet = (
  ground: Ground,
  supervisor: Supervisor,
  build: { readonly name: string; readonly backend: string; readonly offset: number },
) => {
  const ports = (app: App) => {
    const port = firstPort + build.offset + apps.indexOf(app);
    return { port, internal: port + 5 };
  };
  const names = apps.map((app) => `${app}-${build.name}`);
  return {
    names,
    url: `http://127.0.0.1:${ports('customer').port}`,
    start() {
      for (const app of apps) {
        const place = { app, name: `${app}-${build.name}`, dist: join(build.backend, 'dist') };
        addProcess(ground, supervisor, { ...place, ports: ports(app) });
      }
    },
    stop: () => supervisor.stop(names),
    async readiness(): Promise<string> {
      const ready = await Promise.all(names.map((name) => supervisor.isReady(name)));
      return names
        .map((name, index) => `${name} ${ready[index] ? 'ready' : 'not ready'}`)
        .join(', ');
    },
  };
};

const migrate = async ({ addresses }: Ground, from: string): Promise<number> => {
  const started = performance.now();
  const environment = environmentOf('migrate', addresses);
  await migrateDatabase({ backend: from, environment, migrateUrl: addresses.migrateUrl });
  return (performance.now() - started) / 1000;
};

interface Done {
  readonly bought: number;
  readonly sold: number;
  readonly queue: number;
}

const countDone = async (ground: Ground): Promise<Done> => {
  const [row] = await ground.query<Done>(`
    SELECT (SELECT count(*)::int FROM gold_order WHERE status = 'ALLOCATED') AS bought,
      (SELECT count(*)::int FROM payout WHERE status = 'PAID') AS sold,
      (SELECT max(id)::int FROM graphile_worker.migrations) AS queue`);
  if (row === undefined) throw new Error('there are no counts');
  return row;
};

/** Builds this tree, or the commit of `TO`. */
const buildLater = async () => {
  const commit = process.env['TO'] ?? '';
  if (commit === '') {
    await buildApps();
    const kept = keepBuild(backend, join(repository, '.dev', 'upgrade'));
    return { name: 'this tree', backend: kept, queueVersion: queueVersionHere() };
  }
  return { name: commit, ...(await buildEarlier(commit, log)) };
};

const main = async (): Promise<boolean> => {
  const earlier = await buildEarlier(process.env['FROM'] || undefined, log);
  const to = await buildLater();
  log(`from ${earlier.commit.slice(0, 12)}: the queue ${earlier.queueVersion}`);
  log(`to ${to.name}: the queue ${to.queueVersion}`);
  const ground = await openGround('upgrade', firstPort);
  const supervisor = createSupervisor(ground.logs);
  const stopping = new AbortController();
  try {
    log(`the earlier build's migrations: ${(await migrate(ground, earlier.backend)).toFixed(1)} s`);
    await seedDatabase(earlier.backend, ground.addresses);
    const sandbox = { app: 'sandbox', name: 'sandbox', dist: join(to.backend, 'dist') } as const;
    addProcess(ground, supervisor, sandbox);
    await supervisor.untilReady();
    const old = createFleet(ground, supervisor, {
      name: 'earlier',
      backend: earlier.backend,
      offset: 60,
    });
    const fresh = createFleet(ground, supervisor, { name: 'new', backend: to.backend, offset: 80 });
    old.start();
    await supervisor.untilReady();
    const urls = [old.url];
    const forwarding = await forwardWebhooks(firstPort, () => urls[0] ?? '');
    const adminOf = (offset: number) => `http://127.0.0.1:${firstPort + offset + 1}`;
    const draw = drawsOf(1);
    const endpoints = { ...ground.endpoints, customer: old.url, admin: adminOf(60) };
    await giveEvidence(ground, endpoints);
    const customers = await makeCustomers({ endpoints }, urls, { count: 6, draw });
    const productId = await makeProduct(ground);
    const ledger = createLedger();
    const load = { customers, ledger, sandboxUrl: endpoints.sandbox, productId, timers, draw };
    const running = runLoad({ ...load, signal: stopping.signal, atOnce: 4, pauseMs: 500 });

    const phase = async (name: string): Promise<void> => {
      const before = await countDone(ground);
      await timers.sleep(seconds * 1000);
      const { bought, sold, queue } = await countDone(ground);
      const done = `${bought - before.bought} buys allocated, ${sold - before.sold} payouts paid`;
      log(`${name}: ${done} (schema ${queue} of the queue)`);
      log(`  ${await old.readiness()}; ${await fresh.readiness()}`);
      const isIdle = bought === before.bought && !name.includes('beside');
      if (isIdle) ledger.find('nothing was bought in a phase', name);
    };
    const serve = (...now: readonly string[]): void => void urls.splice(0, urls.length, ...now);

    await phase('the earlier build on its own schema');
    fresh.start();
    await phase('the new build beside it, on the earlier schema');
    log(`the new migrations, under load: ${(await migrate(ground, to.backend)).toFixed(1)} s`);
    await phase('the earlier build on the new schema');
    await supervisor.untilReady(fresh.names);
    serve(old.url, fresh.url);
    await phase('both on the new schema');
    serve(fresh.url);
    await old.stop();
    await phase('the new build alone');
    old.start();
    await supervisor.untilReady(old.names);
    serve(old.url);
    await fresh.stop();
    await phase('back: the earlier build alone on the new schema');
    fresh.start();
    await supervisor.untilReady(fresh.names);
    serve(fresh.url);
    await old.stop();
    await phase('and forward again');
    stopping.abort();
    await running;
    const last = {
      ...ground,
      endpoints: { ...endpoints, customer: fresh.url, admin: adminOf(80) },
    };
    await checkAtRest({ ground: last, ledger, timers, log });
    const counts = ledger.counts();
    for (const [request, answers] of Object.entries(counts))
      log(`${request}: ${listCounts(answers)}`);
    log(`${ledger.acknowledged.length} acknowledged, ${ledger.findings.length} findings`);
    for (const { what, detail } of ledger.findings) log(`  ${what}: ${detail}`);
    drill.writeReport(ground);
    forwarding.close();
    return ledger.findings.length === 0;
  } finally {
    stopping.abort();
    await supervisor.stop();
    await ground.close();
  }
};

await runDrill(main);
