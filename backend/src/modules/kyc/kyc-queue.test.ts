import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeCustomer } from '#test/support/factories.ts';
import { openKyc, type OpenKyc } from '#test/support/open-kyc.ts';

let kyc: OpenKyc;
let customers: MadeCustomer[];
let ids: string[];

beforeAll(async () => {
  kyc = await openKyc();
  customers = [];
  ids = [];
  for (const fullName of ['One', 'Two', 'Three']) {
    const customer = await kyc.make.customer();
    await kyc.submit(customer, { fullName });
    customers.push(customer);
    ids.push(await kyc.recordOf(customer));
    kyc.system.clock.advance(1000);
  }
  await kyc.operator()('POST', `/kyc/${ids[1]}/reject`, { reason: 'blurred' });
});

afterAll(async () => kyc.system.close());

const names = async (query = ''): Promise<unknown> => {
  const { status, body } = await kyc.operator()('GET', `/kyc${query}`);
  expect(status).toBe(200);
  // The response was checked against its schema.
  return (body['items'] as { fullName: string }[]).map(({ fullName }) => fullName);
};

const find = (q: unknown): Promise<unknown> => names(`?q=${encodeURIComponent(String(q))}`);

describe('the queue', () => {
  it('shows submitted records by default, oldest first', async () => {
    expect(await names()).toEqual(['One', 'Three']);
    expect(await names('?limit=1&page=2')).toEqual(['Three']);
    expect(await names('?order=newest')).toEqual(['Three', 'One']);
    expect(await names('?status=REJECTED')).toEqual(['Two']);
    expect(await names('?status=APPROVED')).toEqual([]);
    const { body } = await kyc.operator()('GET', '/kyc?limit=1');
    expect(body).toMatchObject({ total: 2, page: 1, limit: 1 });
  });

  it('finds a record by an id, the phone, the PAN or the Aadhaar, in full', async () => {
    const [customer] = customers;
    const numbers = { pan: kyc.make.numbers.pan(), aadhaar: kyc.make.numbers.aadhaar() };
    const other = await kyc.make.customer();
    await kyc.submit(other, { ...numbers, fullName: 'Four' });
    const id = await kyc.recordOf(other);
    expect(await find(ids[0])).toEqual(['One']);
    expect(await find(customer?.userId)).toEqual(['One']);
    expect(await find(customer?.phone)).toEqual(['One']);
    expect(await find(customer?.phone.slice(3))).toEqual(['One']);
    expect(await find(numbers.pan)).toEqual(['Four']);
    expect(await find(numbers.aadhaar)).toEqual(['Four']);
    expect(await find('ABCPE0000F')).toEqual([]);
    await kyc.operator()('POST', `/kyc/${id}/reject`, { reason: 'no longer needed' });
  });

  it('filters by the time of submission', async () => {
    const third = await kyc.system.db.kycRecord.findUniqueOrThrow({ where: { id: ids[2] ?? '' } });
    const at = third.submittedAt?.toISOString() ?? '';
    expect(await names(`?from=${at}`)).toEqual(['Three']);
    expect(await names(`?to=${at}`)).toEqual(['One']);
  });

  it.each(['status=submitted', 'status=ALL', 'page=0', 'limit=0', 'limit=101', 'page=1.5'])(
    'refuses ?%s',
    async (query) => {
      expect(await kyc.operator()('GET', `/kyc?${query}`)).toMatchObject({ status: 400 });
    },
  );

  it('shows a record with its documents by kind, and only four digits of its numbers', async () => {
    const [id = ''] = ids;
    const [customer] = customers;
    const [selfie, first] = await kyc.system.db.kycDocument.findMany({
      where: { userId: customer?.userId ?? '' },
    });
    expect(selfie).toBeDefined();
    expect(first).toBeUndefined();
    const { body } = await kyc.operator()('GET', `/kyc/${id}`);
    expect(body).toEqual({
      id,
      userId: customer?.userId,
      fullName: 'One',
      dateOfBirth: null,
      warnings: [],
      claim: null,
      status: 'SUBMITTED',
      panLast4: expect.stringMatching(/^.{4}$/u),
      aadhaarLast4: expect.stringMatching(/^\d{4}$/u),
      pincode: '560001',
      reviewReason: null,
      submittedAt: expect.any(String),
      reviewedAt: null,
      documents: [
        {
          kind: 'PAN',
          key: selfie?.key,
          uploadedAt: selfie?.createdAt.toISOString(),
          isSubmitted: true,
        },
      ],
    });
  });

  it('shows no name once the customer’s key is destroyed', async () => {
    const gone = await kyc.make.customer();
    await kyc.submit(gone);
    await kyc.system.vault.destroyUser(kyc.system.db, gone.userId);
    const id = await kyc.recordOf(gone);
    expect((await kyc.operator()('GET', `/kyc/${id}`)).body).toMatchObject({ fullName: null });
    expect(await names('?limit=1&order=newest')).toEqual([null]);
  });
});

describe('access to the queue', () => {
  const routes = [
    ['GET', '/kyc'],
    ['GET', '/kyc/:id'],
    ['POST', '/kyc/:id/approve'],
    ['POST', '/kyc/:id/reject'],
    ['POST', '/kyc/:id/request-resubmit'],
  ] as const;

  it('is for all roles to read, and for super admins and admins to decide', async () => {
    const support = await kyc.make.admin('SUPPORT');
    for (const [method, path] of routes) {
      const address = path.replace(':id', ids[1] ?? '');
      const answer = await kyc.operator(support)(
        method,
        address,
        method === 'POST' ? {} : undefined,
      );
      expect([path, answer.status]).toEqual([path, method === 'GET' ? 200 : 403]);
    }
  });

  it('is refused without a token, and to customers', async () => {
    const [customer] = customers;
    const stranger = { ...kyc.admin, token: customer?.token ?? '' };
    for (const [method, path] of routes) {
      const address = path.replace(':id', ids[0] ?? '');
      expect(await kyc.operator(stranger)(method, address)).toMatchObject({ status: 401 });
    }
  });

  it.each(['0', 'not-a-uuid', '01890000-0000-7000-8000-000000000001', '%00', '..%2F'])(
    'finds nothing at %s',
    async (id) => {
      for (const [method, path] of routes.slice(1)) {
        const body = method === 'POST' ? { reason: 'x' } : undefined;
        const answer = await kyc.operator()(method, path.replace(':id', id), body);
        expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    },
  );
});
