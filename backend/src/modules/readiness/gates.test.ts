import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createAdmins, hasActiveSuperAdmin } from '../admins/index.ts';
import {
  cachePassing,
  createGates,
  createReadinessCustomerRoutes,
  evidenceItems,
  upsertEvidence,
  checkFirstAdmin,
  checkMigrations,
  checkSecrets,
} from './index.ts';
import type { Finding } from './readiness.types.ts';

let system: TestSystem;
let url: string;
let boss: MadeAdmin;
let hasGateway = true;

const setSwitch = (name: string, text: string): void =>
  writeFileSync(join(system.settingsDir, name), text);

const verify = async (verified: boolean, items = evidenceItems.slice()): Promise<void> => {
  const row = { value: 'x', reference: 'y', updatedAt: system.clock.now(), updatedBy: null };
  for (const item of items) await upsertEvidence(system.db, item, { ...row, verified });
};

const finishMigrations = (at: 'NULL' | 'now()') =>
  withConnection(system.addresses.migrateUrl, (client) =>
    client.query(`UPDATE _prisma_migrations SET finished_at = ${at}`),
  );

const readState = async () => (await bearerCaller(url)('GET', '/public/payment-readiness')).body;

const open = { checkout_available: true, buy: 'OPEN', sell: 'CLOSED', sip: 'OPEN' };
const closed = { checkout_available: false, buy: 'CLOSED', sell: 'CLOSED', sip: 'CLOSED' };

beforeAll(async () => {
  system = await openTestSystem();
  boss = await createFactories(system).admin('SUPER_ADMIN');
  const { db, clock, switches, logger } = system;
  await db.legalField.create({
    data: {
      section: 'entity',
      key: 'legalName',
      value: 'x',
      verified: true,
      updatedAt: clock.now(),
    },
  });
  const gates = createGates({
    db,
    clock,
    switches,
    logger,
    blockingChecks: [
      checkMigrations(db),
      checkFirstAdmin(() => hasActiveSuperAdmin(db)),
      checkSecrets('test'),
    ],
  });
  url = await system.serve({
    prefix: '/v1',
    routes: createReadinessCustomerRoutes({ gates, hasUsableGateway: async () => hasGateway }),
    guard: createAdmins({ ...system, tokenTtlSeconds: 60 }).guard,
  });
});

beforeEach(async () => {
  hasGateway = true;
  setSwitch('DIGITAL_GOLD_PAYMENT_ENABLED', 'true');
  rmSync(join(system.settingsDir, 'DIGITAL_SELL_ENABLED'), { force: true });
  await verify(true);
});

afterAll(async () => system.close());

describe('buying', () => {
  it('is open with all evidence verified and the switch on', async () => {
    expect(await readState()).toEqual(open);
  });

  it('is not opened by the switch alone', async () => {
    await verify(false);
    expect(await readState()).toEqual(closed);
    await system.db.readinessEvidence.deleteMany();
    expect(await readState()).toEqual(closed);
  });

  it('is closed while customers are not shown the legal entity of the evidence', async () => {
    const where = { section_key: { section: 'entity', key: 'legalName' } };
    const change = (data: object) => system.db.legalField.update({ where, data });
    for (const data of [{ verified: false }, { value: 'Another Private Limited' }]) {
      await change(data);
      expect(await readState()).toEqual(closed);
      await change({ verified: true, value: ' X ' });
      expect(await readState()).toEqual(open);
    }
  });

  it.each(evidenceItems)('closes after the last day of %s', async (item) => {
    const today = istDate(system.clock.now());
    const row = { value: 'x', reference: 'y', verified: true, updatedAt: system.clock.now() };
    const until = (expiresOn: string) =>
      upsertEvidence(system.db, item, { ...row, expiresOn, updatedBy: null });
    await until(today);
    expect(await readState()).toEqual(open);
    await until(istDate(addMs(system.clock.now(), -86_400_000)));
    expect(await readState()).toEqual(closed);
  });

  it.each(evidenceItems)('is closed while %s is not verified', async (item) => {
    await verify(false, [item]);
    expect(await readState()).toEqual(closed);
    await system.db.readinessEvidence.delete({ where: { item } });
    expect(await readState()).toEqual(closed);
  });

  it.each(['', '1', 'yes', 'false', 'on', ' true', 'true\n\n'])(
    'is closed while the switch reads %j',
    async (text) => {
      setSwitch('DIGITAL_GOLD_PAYMENT_ENABLED', text);
      expect(await readState()).toEqual(closed);
    },
  );

  it('is closed while the switch is unset, and open for TRUE in any case', async () => {
    rmSync(join(system.settingsDir, 'DIGITAL_GOLD_PAYMENT_ENABLED'));
    expect(await readState()).toEqual(closed);
    setSwitch('DIGITAL_GOLD_PAYMENT_ENABLED', 'TRUE\n');
    expect(await readState()).toEqual(open);
  });

  it('is closed without an active super admin', async () => {
    const where = { id: boss.adminId };
    await system.db.adminUser.update({ where, data: { active: false } });
    expect(await readState()).toEqual(closed);
    await system.db.adminUser.update({ where, data: { active: true, role: 'ADMIN' } });
    expect(await readState()).toEqual(closed);
    await system.db.adminUser.update({ where, data: { role: 'SUPER_ADMIN' } });
    expect(await readState()).toEqual(open);
  });

  it('is closed while a migration of this build is missing', async () => {
    await finishMigrations('NULL');
    expect(await readState()).toEqual(closed);
    await finishMigrations('now()');
    expect(await readState()).toEqual(open);
  });

  it('logs one line with the reason when it closes, and one line when it opens', async () => {
    await readState();
    const linesOf = (text: string) => system.logged().split(text).length - 1;
    const [closings, openings] = [linesOf('buying is closed'), linesOf('buying is open again')];
    await verify(false);
    await Promise.all([readState(), readState(), readState()]);
    expect(linesOf('buying is closed')).toBe(closings + 1);
    expect(system.logged()).toContain(
      'Evidence is missing, not verified, expired, or not shown to customers.',
    );
    await verify(true);
    await readState();
    await readState();
    expect(linesOf('buying is open again')).toBe(openings + 1);
  });

  it('has no checkout without a usable gateway', async () => {
    hasGateway = false;
    expect(await readState()).toEqual({ ...open, checkout_available: false });
  });
});

describe('selling', () => {
  it('depends only on its own switch', async () => {
    setSwitch('DIGITAL_SELL_ENABLED', 'True');
    expect(await readState()).toEqual({ ...open, sell: 'OPEN' });
    await verify(false);
    expect(await readState()).toEqual({ ...closed, sell: 'OPEN' });
    setSwitch('DIGITAL_SELL_ENABLED', '1');
    expect(await readState()).toEqual(closed);
  });
});

describe('a check that passed', () => {
  it('is cached for a while, and a failed check is not', async () => {
    const wall = createManualClock();
    let finding: Finding = { status: 'FAIL', detail: 'no' };
    let asked = 0;
    const check = cachePassing(
      async () => {
        asked += 1;
        return finding;
      },
      10_000,
      wall,
    );
    expect((await check()).status).toBe('FAIL');
    finding = { status: 'PASS', detail: 'yes' };
    expect((await check()).status).toBe('PASS');
    finding = { status: 'FAIL', detail: 'no' };
    wall.advance(9999);
    expect((await check()).status).toBe('PASS');
    wall.advance(1);
    expect((await check()).status).toBe('FAIL');
    expect(asked).toBe(3);
  });
});
