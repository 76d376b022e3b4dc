import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { environmentOf } from '../../dev/stack/environment.ts';
import type { Ground } from './ground.ts';
import type { Supervisor } from './supervisor.ts';
import type { Draw } from './customers.ts';

export type App = 'sandbox' | 'customer' | 'admin' | 'accounting' | 'worker';

/** Returns the draws of a seed, each from 0 to below 1. They are the same in every run. */
export const drawsOf = (seed: number): Draw => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Limits that are so high that no endurance test reaches them, and short intervals of sweeps. */
const highLimits: ProcessEnvironment = {
  QUOTES_PER_TEN_MINUTES: '100000',
  COLLABORATOR_QUESTIONS_PER_MINUTE: '100000',
  OTP_SENDS_PER_ADDRESS_HOUR: '100000',
  WEBHOOK_REFUSALS_PER_MINUTE: '100000',
  PAYOUT_DAILY_AUTO_COUNT: '100000',
  RECONCILIATION_QUERIES_PER_SECOND: '200',
  JANITOR_EVERY_MS: '1000',
  EXPIRY_EVERY_MS: '1000',
  LOG_LEVEL: 'warn',
};

export interface ProcessPlace {
  readonly app: App;
  /** The name of the replica. */
  readonly name: string;
  /** The folder of the builds `<app>/main.js`. */
  readonly dist: string;
  /** The ports of a further replica. Without them, the process has the stack's ports. */
  readonly ports?: { readonly port: number; readonly internal: number };
  readonly changes?: ProcessEnvironment;
}

/** Lets the supervisor run a process of a build on the ground. */
export const addProcess = (ground: Ground, supervisor: Supervisor, place: ProcessPlace): void => {
  const { app, name, dist, ports, changes } = place;
  const known = environmentOf(app, ground.addresses);
  const env: ProcessEnvironment = {
    ...known,
    ...(app === 'sandbox' ? {} : highLimits),
    ...(ports !== undefined && { INTERNAL_PORT: String(ports.internal) }),
    ...(ports !== undefined && app !== 'worker' && { PORT: String(ports.port) }),
    ...changes,
  };
  const readyUrl =
    app === 'sandbox'
      ? `http://127.0.0.1:${env['PORT']}/_control/clock`
      : `http://127.0.0.1:${env['INTERNAL_PORT']}/readyz`;
  supervisor.add({ name, main: join(dist, app, 'main.js'), env, readyUrl });
};

/** Creates a product that customers can order. */
export const makeProduct = async (ground: Ground): Promise<string> => {
  const id = randomUUID();
  await ground.query(
    `INSERT INTO product (id, name, category, purity_karat, weight_grams, pricing_mode,
       price_paise, created_at, updated_at)
     VALUES ($1, 'Plain band', 'RINGS', 22, 3.5, 'FIXED', 100000, now(), now())`,
    [id],
  );
  return id;
};

/** Lists counts, the highest first. */
export const listCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
