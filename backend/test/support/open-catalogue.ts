import type { AdminRole } from '../../src/modules/admins/index.ts';
import { createImageRemoval, createRepricing } from '../../src/modules/catalogue/index.ts';
import { customerPatienceMs } from '../../src/modules/catalogue/read-rates.ts';
import { createPrice, type PriceModule } from '../../src/modules/price/index.ts';
import { createManualClock, type ManualClock } from '../../src/platform/clock/manual-clock.ts';
import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Sweep } from '../../src/platform/jobs/index.ts';
import { bearerCaller, type Caller } from './caller.ts';
import { createFactories } from './factories.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { serveAdminApi, serveCustomerApi } from './serve-apis.ts';

/** A replica of the customer API, as its process builds it. */
interface CatalogueReplica {
  readonly url: string;
  readonly ask: Caller;
  readonly price: PriceModule;
}

/** The catalogue of both APIs on separate stores, and the worker's sweeps over it. */
export interface OpenCatalogue extends CatalogueReplica {
  readonly system: TestSystem;
  /** Real time, by which prices age. */
  readonly wall: ManualClock;
  readonly adminUrl: string;
  readonly tokens: Readonly<Record<AdminRole, string>>;
  /** An operator who may write. */
  readonly admin: Caller;
  readonly sweeps: Readonly<Record<'reprice' | 'removeImages', Sweep['run']>>;
  /** Serves a replica that has just started, with nothing in its memory. */
  startReplica(options?: { readonly patienceMs?: number }): Promise<CatalogueReplica>;
  setPrice(buyPaise: number): Promise<void>;
  /** Silences the gold provider, and lets the last price run out. */
  stopFeed(): Promise<void>;
  resumeFeed(): Promise<void>;
  /** Creates a product: a FIXED ring of 22 karat but for what is given. */
  create(given?: object): Promise<{ readonly id: string } & Record<string, unknown>>;
}

const ring = {
  name: 'Plain band ring',
  category: 'rings',
  purityKarat: 22,
  weightGrams: '3.2',
  pricingMode: 'FIXED',
  pricePaise: 4_055_000,
};

/**
 * Production's customers wait for a price for 300 ms, which a busy machine may need for an answer.
 * The tests of a live price wait longer.
 */
const patientMs = 8000;

const withPatience = (timers: Timers, patienceMs: number): Timers => ({
  ...timers,
  sleep: (ms, signal) => timers.sleep(ms === customerPatienceMs ? patienceMs : ms, signal),
});

/** Takes the place of a FIXED product's price in a DYNAMIC one. */
export const dynamic = { pricingMode: 'DYNAMIC', pricePaise: undefined };

/** Opens it, with a gram of 24 karat at INR 14,530. */
export const openCatalogue = async (): Promise<OpenCatalogue> => {
  const wall = createManualClock();
  const system = await openTestSystem({ wall });
  const make = createFactories(system);
  const roles = ['SUPER_ADMIN', 'ADMIN', 'SUPPORT'] as const;
  const made = await Promise.all(roles.map((role) => make.admin(role)));
  const [superAdmin = '', admin = '', support = ''] = made.map(({ token }) => token);
  const control = system.sandbox.control.bind(system.sandbox);

  const partsOf = () => {
    const price = createPrice({ ...system, provider: system.makeProvider() });
    return { price, deps: { ...system, live: price.live } };
  };
  const startReplica = async ({ patienceMs = patientMs } = {}): Promise<CatalogueReplica> => {
    const timers = withPatience(system.timers, patienceMs);
    const replica = await serveCustomerApi(system, { clients: { timers } });
    const { url, api } = replica;
    return { url, ask: bearerCaller(url), price: api.services.price };
  };
  const setPrice = async (buyPaise: number): Promise<void> => {
    await control('PUT', '/price', {
      buyPaise,
      sellPaise: buyPaise - 20_000,
      spotPaise: buyPaise - 10_000,
    });
    await system.redis.flushall();
    wall.advance(11_000);
  };

  await setPrice(1_453_000);
  const adminApi = await serveAdminApi(system);
  const adminUrl = adminApi.url;
  const write = bearerCaller(adminUrl, admin);
  const shared = { ...partsOf().deps, everyMs: 1000 };

  return {
    ...(await startReplica()),
    system,
    wall,
    adminUrl,
    tokens: { SUPER_ADMIN: superAdmin, ADMIN: admin, SUPPORT: support },
    admin: write,
    sweeps: { reprice: createRepricing(shared).run, removeImages: createImageRemoval(shared).run },
    startReplica,
    setPrice,
    async stopFeed() {
      const fault = { collaborator: 'safegold', operation: '*', fault: 'error', times: 10_000 };
      await control('POST', '/faults', fault);
      await system.redis.flushall();
      wall.advance(11_000);
    },
    async resumeFeed() {
      await control('DELETE', '/faults');
      wall.advance(11_000);
      // As the worker's feed does, which is first to see it: another adapter, another circuit.
      await partsOf().price.live.freshPrice();
    },
    async create(given = {}) {
      const answer = await write('POST', '/products', { ...ring, ...given });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return { ...answer.body, id: String(answer.body['id']) };
    },
  };
};
