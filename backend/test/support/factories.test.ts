import { afterAll, beforeAll, expect, it } from 'vitest';
import { findUser } from '../../src/modules/identity/index.ts';
import { findKycStatus } from '../../src/modules/kyc/index.ts';
import { readHolding } from '../../src/modules/holdings/index.ts';
import { createFactories, createNumbers } from './factories.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';

let system: TestSystem;

beforeAll(async () => {
  system = await openTestSystem();
});

afterAll(async () => system.close());

it('the factory makes a customer who may buy', async () => {
  const made = await createFactories(system).approvedCustomer({ fullName: 'Asha Rao' });
  const user = await findUser(system.db, made.userId);
  expect(user).toMatchObject({ phone: made.phone, providerUserId: made.providerUserId });
  expect(await findKycStatus(system.db, made.userId)).toBe('APPROVED');
  expect(await readHolding(system.db, made.userId)).toMatchObject({ investedPaise: 0n });
  const known = await system.provider.getUser(made.providerUserId);
  expect(known.kind).toBe('done');
});

it('the factory makes operators and portal users of any role', async () => {
  const make = createFactories(system);
  expect(await make.admin('SUPPORT')).toMatchObject({ role: 'SUPPORT' });
  expect(await make.portalUser('auditor')).toMatchObject({ role: 'auditor' });
});

it('the factory makes numbers that pass their checks', () => {
  const numbers = createNumbers(system.random);
  expect(numbers.pan()).toMatch(/^[A-Z]{5}\d{4}[A-Z]$/u);
  expect(numbers.aadhaar()).toMatch(/^\d{12}$/u);
  expect(numbers.phone()).toMatch(/^\+91[6-9]\d{9}$/u);
});
