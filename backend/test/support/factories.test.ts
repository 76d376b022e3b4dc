import { afterAll, beforeAll, expect, it } from 'vitest';
import { findUser } from '../../src/modules/identity/index.ts';
import { kycStatusOf } from '../../src/modules/kyc/index.ts';
import { readHolding } from '../../src/modules/holdings/index.ts';
import { createFactories, createNumbers } from './factories.ts';
import { openKit, type Kit } from './open-kit.ts';

let kit: Kit;

beforeAll(async () => {
  kit = await openKit();
});

afterAll(async () => kit.close());

it('makes a customer who may buy', async () => {
  const made = await createFactories(kit).approvedCustomer({ fullName: 'Asha Rao' });
  const user = await findUser(kit.db, made.userId);
  expect(user).toMatchObject({ phone: made.phone, providerUserId: made.providerUserId });
  expect(await kycStatusOf(kit.db, made.userId)).toBe('APPROVED');
  expect(await readHolding(kit.db, made.userId)).toMatchObject({ investedPaise: 0n });
  const known = await kit.provider.getUser(made.providerUserId);
  expect(known.kind).toBe('done');
});

it('makes operators and portal users of any role', async () => {
  const make = createFactories(kit);
  expect(await make.admin('SUPPORT')).toMatchObject({ role: 'SUPPORT' });
  expect(await make.portalUser('auditor')).toMatchObject({ role: 'auditor' });
});

it('makes numbers that pass their checks', () => {
  const numbers = createNumbers(kit.random);
  expect(numbers.pan()).toMatch(/^[A-Z]{5}\d{4}[A-Z]$/u);
  expect(numbers.aadhaar()).toMatch(/^\d{12}$/u);
  expect(numbers.phone()).toMatch(/^\+91[6-9]\d{9}$/u);
});
