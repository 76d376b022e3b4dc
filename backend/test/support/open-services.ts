import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createServices,
  type Services,
  type ServiceWraps,
} from '../../src/runtime/create-services.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { servicesVariables } from '../../src/runtime/process.variables.ts';
import { evidenceItems, upsertEvidence } from '../../src/modules/readiness/index.ts';
import { createMetrics } from '../../src/platform/observability/index.ts';
import { createFactories } from './factories.ts';
import type { TestSystem } from './open-test-system.ts';

/**
 * Wires the services of a process on this system's stores and sandbox, as production does. Closing
 * the system closes them.
 */
export const openServices = (system: TestSystem, wrap: Partial<ServiceWraps> = {}): Services => {
  const { env } = system;
  const options = { receivesWebhooks: true, wrap };
  const services = createServices(loadConfig(servicesVariables, env), env, system, options);
  system.beforeClose(() => services.close());
  return services;
};

/** Returns the clients of another process, which counts what it does itself. */
export const asReplica = (clients: Partial<TestSystem> = {}): Partial<TestSystem> => ({
  metrics: createMetrics({ service: 'replica', collectsDefaults: false }),
  ...clients,
});

const switchOf = { buy: 'DIGITAL_GOLD_PAYMENT_ENABLED', sell: 'DIGITAL_SELL_ENABLED' } as const;

/** Throws the switch of buying or of selling. */
export const setGate = (
  { settingsDir }: Pick<TestSystem, 'settingsDir'>,
  gate: keyof typeof switchOf,
  isOpen: boolean,
): void => writeFileSync(join(settingsDir, switchOf[gate]), `${String(isOpen)}\n`);

/** Opens both gates: creates a super admin, verified evidence and terms, and turns the switches on. */
export const openGates = async (system: TestSystem): Promise<void> => {
  const { db, clock, random } = system;
  const now = clock.now();
  await createFactories(system).admin('SUPER_ADMIN');
  const evidence = { value: 'x', reference: 'y', verified: true, updatedAt: now, updatedBy: null };
  for (const item of evidenceItems) await upsertEvidence(db, item, evidence);
  await db.legalField.create({
    data: { section: 'entity', key: 'registration', value: 'x', verified: true, updatedAt: now },
  });
  const terms = { slug: 'terms', version: '2026-01', title: 'Terms', body: 'Terms' };
  await db.policyVersion.create({
    data: { ...terms, id: random.uuid(), verified: true, effectiveFrom: now, createdAt: now },
  });
  setGate(system, 'buy', true);
  setGate(system, 'sell', true);
};
