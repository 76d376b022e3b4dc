import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeAdmin } from '#test/support/factories.ts';
import { openKyc, panUpload, type OpenKyc } from '#test/support/open-kyc.ts';

let kyc: OpenKyc;
let other: MadeAdmin;
beforeAll(async () => {
  kyc = await openKyc();
  other = await kyc.make.admin('ADMIN');
});
afterAll(() => kyc.system.close());

const submitRecord = async (): Promise<string> => {
  const customer = await kyc.make.customer();
  expect((await kyc.submit(customer)).status).toBe(200);
  return kyc.recordOf(customer);
};

const queueOf = async (admin: MadeAdmin, claim: string): Promise<string[]> => {
  const { body } = await kyc.operator(admin)('GET', `/kyc?limit=100&claim=${claim}`);
  // The response was checked against its schema.
  return (body['items'] as { id: string }[]).map(({ id }) => id);
};

describe('a claim', () => {
  it('prevents every other operator from deciding until it is released', async () => {
    const id = await submitRecord();
    const [mine, theirs] = [kyc.operator(), kyc.operator(other)];
    const claimed = await mine('POST', `/kyc/${id}/claim`);
    expect(claimed).toMatchObject({
      status: 200,
      body: { claim: { by: { id: kyc.admin.adminId } } },
    });
    expect(await queueOf(kyc.admin, 'MINE')).toContain(id);
    expect(await queueOf(other, 'OTHERS')).toContain(id);
    expect(await queueOf(other, 'NONE')).not.toContain(id);

    const changes = [
      ['POST', 'claim'],
      ['DELETE', 'claim'],
      ['POST', 'approve'],
      ['POST', 'reject'],
      ['POST', 'request-resubmit'],
    ] as const;
    for (const [method, change] of changes) {
      const refused = await theirs(method, `/kyc/${id}/${change}`, { reason: 'x' });
      expect([change, refused.status, refused.code]).toEqual([change, 409, 'CONFLICT']);
      expect(refused.body).toMatchObject({
        error: { details: { claim: { by: { email: kyc.admin.email } } } },
      });
    }
    expect((await mine('DELETE', `/kyc/${id}/claim`)).body).toMatchObject({ claim: null });
    expect((await theirs('POST', `/kyc/${id}/reject`, { reason: 'x' })).status).toBe(200);
    const audit = await kyc.system.db.auditLog.findMany({
      where: { targetId: id },
      orderBy: { seq: 'asc' },
    });
    const done = audit.filter(({ outcome }) => outcome === 'DONE').map(({ action }) => action);
    expect(done).toEqual(['kyc.claim', 'kyc.release', 'kyc.reject']);
  });

  it('expires, and ends with the decision', async () => {
    const id = await submitRecord();
    await kyc.operator()('POST', `/kyc/${id}/claim`);
    await kyc.system.db.kycRecord.update({
      where: { id },
      data: { claimedUntil: new Date(Date.now() - 1) },
    });
    expect(await queueOf(other, 'NONE')).toContain(id);
    const taken = await kyc.operator(other)('POST', `/kyc/${id}/claim`);
    expect(taken.body).toMatchObject({ claim: { by: { id: other.adminId } } });
    const decided = await kyc.operator(other)('POST', `/kyc/${id}/reject`, { reason: 'x' });
    expect(decided.body).toMatchObject({ claim: null });
    const late = await kyc.operator()('POST', `/kyc/${id}/claim`);
    expect(late).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
  });

  it('belongs to one of several operators who claim concurrently', async () => {
    const id = await submitRecord();
    const answers = await Promise.all(
      [kyc.admin, other].map((admin) => kyc.operator(admin)('POST', `/kyc/${id}/claim`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });
});

describe('the documents of a customer', () => {
  it('are counted since the last forced reverification, and shown by kind', async () => {
    const customer = await kyc.make.customer();
    await kyc.upload(customer, { kind: 'SELFIE' });
    kyc.system.clock.advance(1000);
    await kyc.submit(customer);
    const id = await kyc.recordOf(customer);
    const [first] = await kyc.system.db.kycDocument.findMany({
      where: { userId: customer.userId },
      orderBy: { createdAt: 'asc' },
    });
    const filler = Array.from({ length: 38 }, (_, n) => ({
      id: kyc.system.random.uuid(),
      userId: customer.userId,
      kind: 'AADHAAR_BACK',
      key: `kyc/${customer.userId}/filler-${n}`,
      contentType: 'image/png',
      sizeBytes: 8,
      sha256: 'x',
      createdAt: first?.createdAt ?? new Date(),
    }));
    await kyc.system.db.kycDocument.createMany({ data: filler });
    const full = await kyc.as(customer)('POST', '/kyc/documents', panUpload);
    expect(full).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });

    kyc.system.clock.advance(1000);
    const fresh = await kyc.make.admin('ADMIN');
    const path = `/users/${customer.userId}/force-kyc-reverify`;
    expect((await kyc.operator(fresh)('PATCH', path, {})).status).toBe(200);
    expect((await kyc.as(customer)('POST', '/kyc/documents', panUpload)).status).toBe(201);
    const { body } = await kyc.operator(fresh)('GET', `/kyc/${id}`);
    // The response was checked against its schema.
    const documents = body['documents'] as { kind: string; uploadedAt: string }[];
    const kinds = [...new Set(documents.map(({ kind }) => kind))];
    expect(kinds).toEqual(['PAN', 'AADHAAR_BACK', 'SELFIE']);
    const pans = documents.filter(({ kind }) => kind === 'PAN').map((each) => each.uploadedAt);
    expect(pans).toEqual(pans.toSorted().toReversed());
  });
});
