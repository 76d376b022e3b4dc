import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MadeCustomer } from '#test/support/factories.ts';
import { openKyc, type OpenKyc } from '#test/support/open-kyc.ts';
import { openTestSystem } from '#test/support/open-test-system.ts';
import { eventually } from '#test/support/eventually.ts';
import { findUser } from '../identity/index.ts';
import { findKycStatus, requireApprovedKyc } from './index.ts';

let kyc: OpenKyc;

beforeAll(async () => {
  // The time limit is long, so that only the tests of a silent provider reach it.
  kyc = await openKyc(await openTestSystem({ env: { SAFEGOLD_TIMEOUT_MS: '15000' } }));
});

beforeEach(async () => {
  await kyc.system.sandbox.control('DELETE', '/faults');
});

afterAll(async () => kyc.system.close());

const submitRecord = async (changes: Readonly<Record<string, unknown>> = {}) => {
  const customer = await kyc.make.customer();
  await kyc.submit(customer, changes);
  return { customer, id: await kyc.recordOf(customer) };
};

const decide = (id: string, verb: string, body?: unknown) =>
  kyc.operator()('POST', `/kyc/${id}/${verb}`, body);

const fault = (kind: string, more: object = {}) =>
  kyc.system.sandbox.control('POST', '/faults', {
    collaborator: 'safegold',
    operation: 'register',
    fault: kind,
    times: 1,
    ...more,
  });

const statusOf = (customer: MadeCustomer) => findKycStatus(kyc.system.db, customer.userId);

const notificationsOf = async ({ userId }: MadeCustomer) =>
  (await kyc.system.db.notification.findMany({ where: { userId }, orderBy: { id: 'asc' } })).map(
    ({ type }) => type,
  );

const auditOf = async (id: string) =>
  kyc.system.db.auditLog.findMany({ where: { targetId: id }, orderBy: { seq: 'asc' } });

describe('approval', () => {
  it('registers the customer with the provider, notifies the customer and is audited', async () => {
    const { customer, id } = await submitRecord({ fullName: 'Meera Nair', pincode: '682001' });
    await expect(requireApprovedKyc(kyc.system.db, customer.userId)).rejects.toMatchObject({
      code: 'KYC_REQUIRED',
      details: { status: 'SUBMITTED' },
    });
    const answer = await decide(id, 'approve');
    expect(answer).toMatchObject({
      status: 200,
      body: { id, userId: customer.userId, status: 'APPROVED', fullName: 'Meera Nair' },
    });
    expect(answer.body['reviewedAt']).toBe(kyc.system.clock.now().toISOString());
    await requireApprovedKyc(kyc.system.db, customer.userId);

    const user = await findUser(kyc.system.db, customer.userId);
    const { body } = await kyc.system.sandbox.safegold('GET', `/v1/users/${user?.providerUserId}`);
    expect(body).toMatchObject({
      name: 'Meera Nair',
      pincode: '682001',
      mobile_no: customer.phone.slice(3),
      kyc_requirement: { identity_required: 0, pan_required: 0 },
    });
    expect(await notificationsOf(customer)).toEqual(['kyc_approved']);
    expect(await auditOf(id)).toMatchObject([
      {
        action: 'kyc.approve',
        actorId: kyc.admin.adminId,
        before: { status: 'SUBMITTED' },
        after: { status: 'APPROVED' },
      },
    ]);
  });

  it.each([
    ['an error', 'error', {}],
    ['a cut connection', 'reset', {}],
    ['silence', 'timeout', {}],
    ['an unreadable answer', 'malformed', {}],
    ['a refusal', 'error', { status: 400 }],
    ['work done but not told', 'accept_then_timeout', {}],
  ])('is 502 and leaves the record SUBMITTED after %s', async (_name, kind, more) => {
    const { customer, id } = await submitRecord();
    await fault(kind, { ...more, times: 10 });
    const answer = await decide(id, 'approve');
    expect(answer).toMatchObject({ status: 502, code: 'PROVIDER_UNAVAILABLE' });
    expect(JSON.stringify(answer.body)).not.toContain('safegold');
    expect(await statusOf(customer)).toBe('SUBMITTED');
    expect(await notificationsOf(customer)).toEqual([]);
    expect(await auditOf(id)).toEqual([]);
    // Registering is idempotent for a phone number, so the operator can approve again.
    await kyc.system.sandbox.control('DELETE', '/faults');
    await eventually(async () => (await decide(id, 'approve')).status === 200, {
      everyMs: 200,
    });
  });

  it('is refused if the number’s last owner has gold at the provider', async () => {
    const { customer, id } = await submitRecord();
    await fault('wrong_amount', { times: 1 });
    const answer = await decide(id, 'approve');
    expect(answer).toMatchObject({ status: 502, code: 'PROVIDER_MISMATCH' });
    expect(await statusOf(customer)).toBe('SUBMITTED');
    expect((await findUser(kyc.system.db, customer.userId))?.providerUserId).toBeNull();
  });

  it('is recorded once if two reviewers approve concurrently', async () => {
    const { customer, id } = await submitRecord();
    const other = await kyc.make.admin('SUPER_ADMIN');
    const answers = await Promise.all([
      decide(id, 'approve'),
      kyc.operator(other)('POST', `/kyc/${id}/approve`),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await notificationsOf(customer)).toEqual(['kyc_approved']);
    expect(await auditOf(id)).toHaveLength(1);
  });

  it('is one of two concurrent decisions', async () => {
    const { customer, id } = await submitRecord();
    const answers = await Promise.all([
      decide(id, 'approve'),
      decide(id, 'reject', { reason: 'blurred' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await notificationsOf(customer)).toHaveLength(1);
  });

  it('is refused if the customer has submitted again in the meantime', async () => {
    const { customer, id } = await submitRecord({ fullName: 'First Name' });
    await fault('hold');
    const approval = decide(id, 'approve');
    await eventually(async () => {
      const calls = await kyc.system.journal('safegold', 'register');
      return calls.some((call) => call.fault === 'hold');
    });
    await decide(id, 'request-resubmit', { reason: 'blurred' });
    kyc.system.clock.advance(1000);
    await kyc.submit(customer, { fullName: 'Second Name' });
    await kyc.system.sandbox.control('DELETE', '/faults');
    expect(await approval).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
    expect(await statusOf(customer)).toBe('SUBMITTED');
  });
});

describe('rejection and resubmission', () => {
  it('show the customer the reason, and allow another submission', async () => {
    const { customer, id } = await submitRecord();
    expect(await decide(id, 'reject', { reason: ' the PAN is blurred ' })).toMatchObject({
      status: 200,
      body: { status: 'REJECTED', reviewReason: 'the PAN is blurred' },
    });
    const view = await kyc.as(customer)('GET', '/kyc/status');
    expect(view.body).toMatchObject({ status: 'REJECTED', reviewReason: 'the PAN is blurred' });

    expect(await kyc.submit(customer)).toMatchObject({ status: 200 });
    expect(await decide(id, 'request-resubmit', { reason: 'no back side' })).toMatchObject({
      status: 200,
      body: { status: 'PENDING', reviewReason: 'no back side' },
    });
    expect(await kyc.submit(customer)).toMatchObject({ status: 200 });
    expect(await decide(id, 'approve')).toMatchObject({ status: 200 });
    expect(await kyc.submit(customer)).toMatchObject({ status: 409, code: 'KYC_STATE' });
    const types = await notificationsOf(customer);
    expect(types.toSorted()).toEqual(['kyc_approved', 'kyc_rejected', 'kyc_resubmit']);
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      'kyc.reject',
      'kyc.request-resubmit',
      'kyc.approve',
    ]);
  });

  it.each(['reject', 'request-resubmit'])(
    '%s stores the reason sealed, in the record and in the audit row',
    async (verb) => {
      const { customer, id } = await submitRecord();
      const reason = 'Meera Nair of Kochi sent a blurred PAN';
      expect(await decide(id, verb, { reason })).toMatchObject({ body: { reviewReason: reason } });
      const { body } = await kyc.as(customer)('GET', '/kyc/status');
      expect(body).toMatchObject({ reviewReason: reason });
      const record = await kyc.system.db.kycRecord.findUniqueOrThrow({ where: { id } });
      const rows = await auditOf(id);
      expect(rows).toMatchObject([{ sealedForUserId: customer.userId }]);
      expect(JSON.stringify(record)).not.toContain('Meera');
      expect(JSON.stringify(rows.map((row) => ({ ...row, seq: 0 })))).not.toContain('Meera');
    },
  );

  it.each(['reject', 'request-resubmit'])('%s needs a reason', async (verb) => {
    const { customer, id } = await submitRecord();
    for (const reason of [undefined, '', '  ', 5, 'x'.repeat(501)]) {
      expect(await decide(id, verb, { reason })).toMatchObject({ status: 400, field: 'reason' });
    }
    expect(await statusOf(customer)).toBe('SUBMITTED');
  });

  it.each(['approve', 'reject', 'request-resubmit'])(
    '%s is refused in any other state',
    async (verb) => {
      const { customer, id } = await submitRecord();
      await decide(id, 'reject', { reason: 'blurred' });
      const answer = await decide(id, verb, { reason: 'again' });
      expect(answer).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
      expect(await statusOf(customer)).toBe('REJECTED');
    },
  );
});
