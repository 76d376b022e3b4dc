import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { MadeAdmin } from '#test/support/factories.ts';
import { openKyc, pngBase64, type OpenKyc } from '#test/support/open-kyc.ts';
import { freePort } from '#test/support/free-port.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';
import type { Answer } from '#test/support/caller.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { requireApprovedKyc } from './index.ts';

let kyc: OpenKyc;
beforeAll(async () => {
  kyc = await openKyc();
});
afterAll(() => kyc.system.close());

const looksAt = (id: string) =>
  kyc.system.db.auditLog.findMany({ where: { targetId: id, action: 'kyc.view-document' } });

/** Returns the response as a browser receives it. */
const fetchDocument = (
  id: string,
  kind: string,
  who: MadeAdmin = kyc.admin,
  url = kyc.adminUrl,
): Promise<Response> =>
  fetch(`${url}/kyc/${id}/documents/${kind}`, {
    headers: { authorization: `Bearer ${who.token}` },
  });

/** Returns another file with the smallest PNG. Bytes after the end are not part of the image. */
const pngWith = (mark: string): string =>
  Buffer.concat([Buffer.from(pngBase64, 'base64'), Buffer.from(mark)]).toString('base64');

const submitKycRecord = async (changes: Readonly<Record<string, unknown>> = {}) => {
  const customer = await kyc.make.customer();
  expect((await kyc.submit(customer, changes)).status).toBe(200);
  return { customer, id: await kyc.recordOf(customer) };
};

describe('GET /kyc/:id/documents/:kind', () => {
  it('shows the document as it was uploaded, with headers that only allow viewing', async () => {
    const { id } = await submitKycRecord();
    const answer = await fetchDocument(id, 'PAN');
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(pngBase64);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="PAN.png"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain('sandbox');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['etag']).toBeUndefined();
    expect(await looksAt(id)).toMatchObject([
      { actorId: kyc.admin.adminId, after: { kind: 'PAN', documentId: expect.any(String) } },
    ]);
  });

  it('shows documents of the newest submission, and 404 for a missing kind', async () => {
    const customer = await kyc.make.customer();
    const send = (kind: string, mark: string) =>
      kyc.upload(customer, { kind, dataBase64: pngWith(mark) });
    const shown = async (id: string, kind: string): Promise<string> =>
      Buffer.from(await (await fetchDocument(id, kind)).arrayBuffer()).toString('base64');
    const back = await send('AADHAAR_BACK', 'back');
    expect(back).not.toBe('');
    const [first, second] = [await send('PAN', 'first'), await send('PAN', 'second')];
    await kyc.submit(customer, { documentKey: first });
    const id = await kyc.recordOf(customer);
    kyc.system.clock.advance(1000);
    await send('PAN', 'later');
    expect(await shown(id, 'PAN')).toBe(pngWith('first'));
    expect(await shown(id, 'AADHAAR_BACK')).toBe(pngWith('back'));
    expect((await fetchDocument(id, 'SELFIE')).status).toBe(404);
    expect((await fetchDocument(id, 'PASSPORT')).status).toBe(404);
    expect((await fetchDocument(kyc.system.random.uuid(), 'PAN')).status).toBe(404);
    await kyc.operator()('POST', `/kyc/${id}/reject`, { reason: 'blurred' });
    await kyc.submit(customer, { documentKey: second });
    expect(await shown(id, 'PAN')).toBe(pngWith('second'));
  });

  it('is allowed to SUPER_ADMIN and ADMIN, and a refusal writes no audit row', async () => {
    const { id } = await submitKycRecord();
    expect((await fetchDocument(id, 'PAN', await kyc.make.admin('SUPPORT'))).status).toBe(403);
    expect((await fetchDocument(id, 'PAN', { ...kyc.admin, token: 'x' })).status).toBe(401);
    expect(await looksAt(id)).toEqual([]);
    expect((await fetchDocument(id, 'PAN', await kyc.make.admin('SUPER_ADMIN'))).status).toBe(200);
  });

  it('refuses damaged or lost documents, and shows none of their bytes', async () => {
    const { customer, id } = await submitKycRecord();
    const { db, objects } = kyc.system;
    const { key } = await db.kycDocument.findFirstOrThrow({ where: { userId: customer.userId } });
    await objects.put(key, Buffer.from('not what was sealed'), 'application/octet-stream');
    const damaged = await fetchDocument(id, 'PAN');
    expect(damaged.status).toBe(500);
    expect(await damaged.json()).toMatchObject({ error: { code: 'DOCUMENT_UNREADABLE' } });
    await objects.delete(key);
    expect((await fetchDocument(id, 'PAN')).status).toBe(500);
    expect(await looksAt(id)).toEqual([]);
  });

  it('is 503 while the object store does not answer, and writes no audit row', async () => {
    const { id } = await submitKycRecord();
    const cut = await serveAdminApi(kyc.system, {
      env: {
        OBJECT_STORE: 's3',
        S3_BASE_URL: `http://127.0.0.1:${await freePort()}`,
        S3_BUCKET: 'objects',
        S3_ACCESS_KEY_ID: 'dev-only-id',
        S3_SECRET_ACCESS_KEY: 'dev-only-secret-access-key',
      },
    });
    onTestFinished(() => cut.close());
    const answer = await fetchDocument(id, 'PAN', kyc.admin, cut.url);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(await looksAt(id)).toEqual([]);
  });
});

const reverify = (userId: string, body: unknown = {}): Promise<Answer> =>
  kyc.operator()('PATCH', `/users/${userId}/force-kyc-reverify`, body);
const detailsOf = ({ body }: Answer): unknown => Object(body['error'])['details'];
const refused = { status: 409, code: 'ILLEGAL_TRANSITION' };

describe('PATCH /users/:id/force-kyc-reverify', () => {
  it('returns an approved customer to PENDING, who cannot trade before a new approval', async () => {
    const { db } = kyc.system;
    const { customer, id } = await submitKycRecord();
    const { userId } = customer;
    await kyc.operator()('POST', `/kyc/${id}/approve`);
    await requireApprovedKyc(db, userId);
    const answer = await reverify(userId, { reason: 'The PAN of Zubeida has expired' });
    expect(answer).toMatchObject({ status: 200, body: { id, userId, status: 'PENDING' } });
    await expect(requireApprovedKyc(db, userId)).rejects.toBeInstanceOf(AppError);
    const { body: own } = await kyc.as(customer)('GET', '/kyc/status');
    expect(own).toMatchObject({
      status: 'PENDING',
      reviewReason: 'The PAN of Zubeida has expired',
    });
    expect(await db.notification.count({ where: { userId, type: 'kyc_resubmit' } })).toBe(1);
    const [row] = await db.auditLog.findMany({ where: { action: 'kyc.force-reverify' } });
    expect(row).toMatchObject({
      targetId: id,
      before: { status: 'APPROVED' },
      after: { status: 'PENDING' },
      sealedForUserId: userId,
    });
    expect(inspect(row)).not.toContain('Zubeida');
    expect(kyc.system.logged()).not.toContain('Zubeida');
    expect((await kyc.submit(customer)).status).toBe(200);
    expect((await kyc.operator()('POST', `/kyc/${id}/approve`)).status).toBe(200);
    await requireApprovedKyc(db, userId);
  });

  it('allows another account to use the PAN and the Aadhaar', async () => {
    const { customer, id } = await submitKycRecord();
    const body = await kyc.submission(await kyc.make.customer());
    const numbers = { pan: body['pan'], aadhaar: body['aadhaar'] };
    await kyc.operator()('POST', `/kyc/${id}/reject`, { reason: 'another try' });
    await kyc.submit(customer, numbers);
    await kyc.operator()('POST', `/kyc/${id}/approve`);
    const other = await kyc.make.customer();
    expect(await kyc.submit(other, numbers)).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
    expect((await reverify(customer.userId)).status).toBe(200);
    expect((await kyc.submit(other, numbers)).status).toBe(200);
    const again = await kyc.submit(customer, numbers);
    expect(again).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
  });

  it('also works for SUBMITTED and REJECTED, and is 409 for PENDING and 404 for an unknown id', async () => {
    const [waiting, rejected] = [await submitKycRecord(), await submitKycRecord()];
    await kyc.operator()('POST', `/kyc/${rejected.id}/reject`, { reason: 'blurred' });
    for (const { customer } of [waiting, rejected]) {
      expect((await reverify(customer.userId)).status).toBe(200);
      const again = await reverify(customer.userId);
      expect(again).toMatchObject(refused);
      expect(detailsOf(again)).toEqual({ status: 'PENDING' });
    }
    const { userId } = await kyc.make.customer();
    expect(await reverify(userId)).toMatchObject(refused);
    expect((await reverify(kyc.system.random.uuid())).status).toBe(404);
    const support = await kyc.make.admin('SUPPORT');
    const path = `/users/${userId}/force-kyc-reverify`;
    expect((await kyc.operator(support)('PATCH', path, {})).status).toBe(403);
  });
});

describe('concurrent decisions of two operators', () => {
  it('have one effect, and the others are 409 with the state', async () => {
    const { customer, id } = await submitKycRecord();
    const { db, addresses } = kyc.system;
    const other = kyc.operator(await kyc.make.admin('SUPER_ADMIN'));
    const sql = 'SELECT 1 FROM kyc_record WHERE id = $1::uuid FOR UPDATE';
    const held = await lockRows(addresses.migrateUrl, sql, [id]);
    const reviews = [
      kyc.operator()('POST', `/kyc/${id}/reject`, { reason: 'blurred' }),
      other('POST', `/kyc/${id}/approve`),
      kyc.operator()('POST', `/kyc/${id}/request-resubmit`, { reason: 'too dark' }),
    ];
    await untilBlocked(addresses.migrateUrl, 3);
    await held.release();
    const answers = await Promise.all(reviews);
    const { status } = await db.kycRecord.findUniqueOrThrow({ where: { id } });
    const winners = answers.filter((answer) => answer.status === 200);
    expect(winners).toMatchObject([{ body: { status } }]);
    const losers = answers.filter((answer) => answer.status !== 200);
    expect(losers).toMatchObject([refused, refused]);
    expect(losers.map(detailsOf)).toEqual([{ status }, { status }]);
    expect(await db.auditLog.count({ where: { targetType: 'kyc', targetId: id } })).toBe(1);
    expect(await db.notification.count({ where: { userId: customer.userId } })).toBe(1);
  });
});
