import { afterAll, beforeAll, expect, it } from 'vitest';
import { openKyc, type OpenKyc } from '#test/support/open-kyc.ts';
import { createKycSweeps } from './index.ts';

let kyc: OpenKyc;

beforeAll(async () => {
  kyc = await openKyc();
});

afterAll(async () => kyc.system.close());

/** Creates a rejected record as an earlier version stored it, with pincode and reason in plain text. */
const createUnsealedRecord = async () => {
  const customer = await kyc.make.customer();
  await kyc.submit(customer);
  const id = await kyc.recordOf(customer);
  await kyc.operator()('POST', `/kyc/${id}/reject`, { reason: 'blurred' });
  await kyc.system.db.kycRecord.update({
    where: { id },
    data: {
      pincode: '682001',
      pincodeSealed: null,
      reviewReason: 'the PAN is cut off',
      reviewReasonSealed: null,
    },
  });
  return { customer, id };
};

const sweep = async (system: Parameters<typeof createKycSweeps>[0] = kyc.system) => {
  for (const { run } of createKycSweeps(system)) await run(new AbortController().signal);
};

const recordOf = (id: string) => kyc.system.db.kycRecord.findUniqueOrThrow({ where: { id } });

it('the service shows a record in plain text, and seals it without a visible change', async () => {
  const { customer, id } = await createUnsealedRecord();
  const view = async () => (await kyc.as(customer)('GET', '/kyc/status')).body;
  const before = await view();
  expect(before).toMatchObject({ pincode: '682001', reviewReason: 'the PAN is cut off' });
  await sweep();
  const row = await recordOf(id);
  expect(row).toMatchObject({ pincode: null, reviewReason: null });
  expect(JSON.stringify(row)).not.toContain('cut off');
  expect(await view()).toEqual(before);
  await sweep();
  expect(await recordOf(id)).toEqual(row);
});

it('the service seals a record after another record whose key cannot be read', async () => {
  const broken = await createUnsealedRecord();
  const { id } = await createUnsealedRecord();
  const { vault } = kyc.system;
  const forUsers: typeof vault.forUsers = async (on, userIds) => {
    if (userIds.includes(broken.customer.userId)) throw new Error('its key is in no ring');
    return vault.forUsers(on, userIds);
  };
  await sweep({ ...kyc.system, vault: { forUsers } });
  expect(await recordOf(broken.id)).toMatchObject({ pincode: '682001' });
  expect(await recordOf(id)).toMatchObject({ pincode: null, reviewReason: null });
  await sweep();
  expect(await recordOf(broken.id)).toMatchObject({ pincode: null, reviewReason: null });
});

it('the service erases fields of a customer whose key is destroyed', async () => {
  const { customer, id } = await createUnsealedRecord();
  await kyc.system.vault.destroyUser(kyc.system.db, customer.userId);
  await sweep();
  expect(await recordOf(id)).toMatchObject({
    pincode: null,
    pincodeSealed: '',
    reviewReason: null,
    reviewReasonSealed: '',
  });
});

it('the service approves a record that was stored in plain text', async () => {
  const customer = await kyc.make.customer();
  await kyc.submit(customer);
  const id = await kyc.recordOf(customer);
  const data = { pincode: '682001', pincodeSealed: null };
  await kyc.system.db.kycRecord.update({ where: { id }, data });
  const approved = await kyc.operator()('POST', `/kyc/${id}/approve`);
  expect(approved).toMatchObject({ status: 200, body: { pincode: '682001' } });
});
