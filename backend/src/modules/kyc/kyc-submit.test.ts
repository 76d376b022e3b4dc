import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeCustomer } from '#test/support/factories.ts';
import { openKyc, type OpenKyc } from '#test/support/open-kyc.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { hasVerhoeffCheckDigit } from './verhoeff.ts';

let kyc: OpenKyc;

beforeAll(async () => {
  kyc = await openKyc();
});

afterAll(async () => kyc.system.close());

const statusOf = async (customer: MadeCustomer) =>
  (await kyc.as(customer)('GET', '/kyc/status')).body;

/** Returns the IST date that is this number of days from now. */
const dateInDays = (days: number) => istDate(addMs(kyc.system.clock.now(), days * 86_400_000));

/** Returns the same day of an earlier year. */
const yearsBefore = (date: string, years: number): string =>
  `${Number(date.slice(0, 4)) - years}${date.slice(4)}`;

/** Returns an Aadhaar number with this first digit and a valid check digit. */
const aadhaarStartingWith = (first: string): string => {
  const eleven = `${first}9994105705`;
  const check = Array.from('0123456789').find((digit) => hasVerhoeffCheckDigit(eleven + digit));
  return `${eleven}${check ?? ''}`;
};

const nothing = {
  status: 'PENDING',
  panLast4: null,
  aadhaarLast4: null,
  pincode: null,
  reviewReason: null,
  submittedAt: null,
  reviewedAt: null,
};

describe('a submission', () => {
  it('waits for review, and shows only the last four digits', async () => {
    const customer = await kyc.make.customer();
    expect(await statusOf(customer)).toEqual(nothing);
    const { pan, aadhaar } = { pan: 'ABCPE1234F', aadhaar: '999941057058' };
    const answer = await kyc.submit(customer, { pan, aadhaar });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      ...nothing,
      status: 'SUBMITTED',
      panLast4: '234F',
      aadhaarLast4: '7058',
      pincode: '560001',
      submittedAt: kyc.system.clock.now().toISOString(),
    });
    expect(await statusOf(customer)).toEqual(answer.body);
    expect(kyc.system.logged()).not.toMatch(/ABCPE1234F|999941057058/u);
  });

  it('is stored sealed, with no number, name, date or pincode in plain text', async () => {
    const customer = await kyc.make.customer();
    const fields = { pan: 'QWERT9876Z', fullName: 'Meera Nair', dateOfBirth: '1991-02-28' };
    await kyc.submit(customer, { ...fields, pincode: '682001' });
    const where = { userId: customer.userId };
    const row = await kyc.system.db.kycRecord.findUniqueOrThrow({ where });
    expect(Object.values(row)).not.toContain('682001');
    expect(JSON.stringify(row)).not.toMatch(/QWERT9876|Meera|1991-02-28/u);
    expect(row.panLast4).toBe('876Z');
    const sealed = [row.panSealed, row.aadhaarSealed, row.fullNameSealed, row.dateOfBirthSealed];
    expect(new Set([...sealed, row.pincodeSealed]).size).toBe(5);
    expect(sealed).not.toContain(null);
  });

  it('uses the name of the profile if it has none', async () => {
    const customer = await kyc.make.customer();
    const without = await kyc.submit(customer, { fullName: undefined });
    expect(without).toMatchObject({ status: 400, field: 'fullName' });
    const where = { id: customer.userId };
    await kyc.system.db.user.update({ where, data: { fullName: 'Ravi\u202eieyI' } });
    const turned = await kyc.submit(customer, { fullName: undefined });
    expect(turned).toMatchObject({ status: 400, field: 'fullName' });
    await kyc.system.db.user.update({ where, data: { fullName: 'Ravi Iyer' } });
    expect(await kyc.submit(customer, { fullName: undefined })).toMatchObject({ status: 200 });
    const id = await kyc.recordOf(customer);
    expect((await kyc.operator()('GET', `/kyc/${id}`)).body).toMatchObject({
      fullName: 'Ravi Iyer',
    });
  });

  it.each([
    ['ABCDE1234F', ['PAN_HOLDER_UNKNOWN']],
    ['ABCPE1234G', []],
    ['ABCTE1234H', []],
  ])('shows the reviewer the date of birth, and warnings about %s', async (pan, warnings) => {
    const customer = await kyc.make.customer();
    expect((await kyc.submit(customer, { pan, dateOfBirth: '1990-04-12' })).status).toBe(200);
    const shown = { dateOfBirth: '1990-04-12', warnings };
    const id = await kyc.recordOf(customer);
    expect((await kyc.operator()('GET', `/kyc/${id}`)).body).toMatchObject(shown);
    const { body } = await kyc.operator()('GET', '/kyc?limit=100');
    expect(body['items']).toContainEqual(expect.objectContaining({ id, ...shown }));
    expect(await statusOf(customer)).not.toHaveProperty('warnings');
  });

  it('is not accepted twice, even by concurrent requests', async () => {
    const customer = await kyc.make.customer();
    const bodies = await Promise.all([kyc.submission(customer), kyc.submission(customer)]);
    const answers = await Promise.all(
      bodies.map((body) => kyc.as(customer)('POST', '/kyc/submit', body)),
    );
    const codes = answers.map(({ status, code }) => [status, code]);
    expect(codes).toContainEqual([200, undefined]);
    expect(codes).toContainEqual([409, 'KYC_STATE']);
    const third = await kyc.submit(customer);
    expect(third).toMatchObject({ status: 409, code: 'KYC_STATE' });
  });

  it('needs a signed-in customer', async () => {
    expect(await kyc.as()('POST', '/kyc/submit', {})).toMatchObject({ status: 401 });
    expect(await kyc.as()('GET', '/kyc/status')).toMatchObject({ status: 401 });
  });
});

describe('one PAN, one Aadhaar, one account', () => {
  it.each(['pan', 'aadhaar'])('refuses the %s of another account', async (field) => {
    const [first, second] = [await kyc.make.customer(), await kyc.make.customer()];
    const body = await kyc.submission(first);
    expect(await kyc.as(first)('POST', '/kyc/submit', body)).toMatchObject({ status: 200 });
    const answer = await kyc.submit(second, { [field]: body[field] });
    expect(answer).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
    expect(await statusOf(second)).toEqual(nothing);
  });

  it('accepts one of two concurrent submissions', async () => {
    const customers = await Promise.all([kyc.make.customer(), kyc.make.customer()]);
    const { pan } = await kyc.submission(customers[0]);
    const answers = await Promise.all(customers.map((each) => kyc.submit(each, { pan })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(1);
  });

  it.each(['reject', 'request-resubmit'])(
    'can be used by another account after %s',
    async (verb) => {
      const [first, second] = [await kyc.make.customer(), await kyc.make.customer()];
      const body = await kyc.submission(first);
      await kyc.as(first)('POST', '/kyc/submit', body);
      await kyc.operator()('POST', `/kyc/${await kyc.recordOf(first)}/${verb}`, {
        reason: 'blurred',
      });
      const numbers = { pan: body['pan'], aadhaar: body['aadhaar'] };
      expect(await kyc.submit(second, numbers)).toMatchObject({ status: 200 });
      // The other account has the numbers now, so the first account can't submit them again.
      const again = await kyc.as(first)('POST', '/kyc/submit', body);
      expect(again).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
    },
  );

  it('cannot be used by another account after an approval', async () => {
    const [first, second] = [await kyc.make.customer(), await kyc.make.customer()];
    const { pan, aadhaar, ...rest } = await kyc.submission(first);
    await kyc.as(first)('POST', '/kyc/submit', { pan, aadhaar, ...rest });
    const approved = await kyc.operator()('POST', `/kyc/${await kyc.recordOf(first)}/approve`);
    expect(approved).toMatchObject({ status: 200 });
    for (const numbers of [{ pan }, { aadhaar }]) {
      const answer = await kyc.submit(second, numbers);
      expect(answer).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
    }
  });

  it('are accepted from exactly one of many rejected accounts that submit concurrently', async () => {
    const customers = await Promise.all(Array.from({ length: 6 }, () => kyc.make.customer()));
    const bodies = await Promise.all(customers.map((each) => kyc.submission(each)));
    const { pan, aadhaar } = bodies[0] ?? {};
    const submitAs = (customer: MadeCustomer, index: number) =>
      kyc.as(customer)('POST', '/kyc/submit', { ...bodies[index], pan, aadhaar });
    for (const [index, customer] of customers.entries()) {
      expect(await submitAs(customer, index)).toMatchObject({ status: 200 });
      const id = await kyc.recordOf(customer);
      await kyc.operator()('POST', `/kyc/${id}/reject`, { reason: 'blurred' });
    }
    const answers = await Promise.all(customers.map(submitAs));
    const outcomes = answers.map(({ status, code }) => code ?? status);
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'KYC_DUPLICATE')).toHaveLength(5);
  });

  it('can be submitted again by the same customer after a rejection', async () => {
    const customer = await kyc.make.customer();
    const body = await kyc.submission(customer);
    await kyc.as(customer)('POST', '/kyc/submit', body);
    const id = await kyc.recordOf(customer);
    await kyc.operator()('POST', `/kyc/${id}/reject`, { reason: 'blurred' });
    expect(await kyc.as(customer)('POST', '/kyc/submit', body)).toMatchObject({
      status: 200,
      body: { status: 'SUBMITTED', reviewReason: null, reviewedAt: null },
    });
  });
});

describe('documents', () => {
  const refused = { status: 400, code: 'VALIDATION_FAILED' };

  it('must be the caller’s own, each of the right kind', async () => {
    const [customer, other] = [await kyc.make.customer(), await kyc.make.customer()];
    const foreign = await kyc.upload(other);
    const selfie = await kyc.upload(customer, { kind: 'SELFIE' });
    const front = await kyc.upload(customer, { kind: 'AADHAAR_FRONT' });
    const wrong: [string, Record<string, unknown>][] = [
      ['documentKey', { documentKey: foreign }],
      ['documentKey', { documentKey: selfie }],
      ['documentKey', { documentKey: `kyc/${customer.userId}/none` }],
      ['selfieKey', { selfieKey: front }],
      ['selfieKey', { selfieKey: foreign }],
    ];
    for (const [field, changes] of wrong) {
      expect(await kyc.submit(customer, changes)).toMatchObject({ ...refused, field });
    }
    expect(await statusOf(customer)).toEqual(nothing);
    const answer = await kyc.submit(customer, { documentKey: front, selfieKey: selfie });
    expect(answer).toMatchObject({ status: 200 });
  });
});

describe('bad input is refused with its field, and nothing is written', () => {
  it.each([
    ['pan', undefined],
    ['pan', 'abcpe1234f'],
    ['pan', 'ABCPE12345'],
    ['pan', 'ABCPE1234FX'],
    ['pan', ' ABCPE1234F'],
    ['pan', 'ABCPE1234F\n'],
    ['pan', 1234567890],
    ['pan', { $ne: '' }],
    ['aadhaar', undefined],
    ['aadhaar', '999941057059'],
    ['aadhaar', '99994105705'],
    ['aadhaar', aadhaarStartingWith('0')],
    ['aadhaar', aadhaarStartingWith('1')],
    ['aadhaar', '9999 4105 7058'],
    ['aadhaar', '９９９９４１０５７０５８'],
    ['aadhaar', 999941057058],
    ['pincode', '056001'],
    ['pincode', '56001'],
    ['pincode', '5600011'],
    ['pincode', 560001],
    ['pincode', null],
    ['documentKey', undefined],
    ['documentKey', ''],
    ['documentKey', '../../etc/passwd\u0000.png'],
    ['documentKey', "' OR '1'='1"],
    ['documentKey', 'k'.repeat(201)],
    ['documentKey', '../other/key'],
    ['selfieKey', 5],
    ['selfieKey', 'a b'],
    ['fullName', ' '],
    ['fullName', 'x'.repeat(101)],
    ['fullName', 'Asha\u0000Rao'],
    ['fullName', ['Asha']],
    ['fullName', 'Asha\u202eoaR'],
    ['fullName', 'Asha\u001b[2J Rao'],
    ['fullName', '\u200b\u200b'],
    ['fullName', '12345'],
    ['dateOfBirth', '1991-02-29'],
    ['dateOfBirth', '28-02-1991'],
    ['dateOfBirth', '1899-12-31'],
    ['dateOfBirth', 19910228],
  ])('%s: %j', async (field, value) => {
    const customer = await kyc.make.customer();
    const answer = await kyc.submit(customer, { [field]: value });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
    expect(await kyc.system.db.kycRecord.count({ where: { userId: customer.userId } })).toBe(0);
  });

  it('a date of birth today or in the future', async () => {
    const customer = await kyc.make.customer();
    for (const dateOfBirth of [dateInDays(0), dateInDays(1), dateInDays(400)]) {
      const answer = await kyc.submit(customer, { dateOfBirth });
      expect(answer).toMatchObject({ status: 400, field: 'dateOfBirth' });
    }
  });

  it('a date of birth of a minor, to the day in IST', async () => {
    const customer = await kyc.make.customer();
    const [today, tomorrow] = [dateInDays(0), dateInDays(1)];
    for (const dateOfBirth of [dateInDays(-1), yearsBefore(today, 9), yearsBefore(tomorrow, 18)]) {
      const answer = await kyc.submit(customer, { dateOfBirth });
      expect(answer).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
        field: 'dateOfBirth',
      });
    }
    const grown = await kyc.submit(customer, { dateOfBirth: yearsBefore(today, 18) });
    expect(grown).toMatchObject({ status: 200 });
  });

  it('a missing date of birth, if the house requires one', async () => {
    const house = await openKyc(kyc.system, { KYC_REQUIRES_DATE_OF_BIRTH: 'true' });
    const customer = await house.make.customer();
    expect(await house.submit(customer)).toMatchObject({ status: 400, field: 'dateOfBirth' });
    expect(await house.submit(customer, { dateOfBirth: '1990-04-12' })).toMatchObject({
      status: 200,
    });
    await house.stop();
  });

  it('several fields at once, which are all listed', async () => {
    const customer = await kyc.make.customer();
    const { body } = await kyc.as(customer)('POST', '/kyc/submit', {});
    expect(body['error']).toMatchObject({
      field: 'pan',
      details: ['pan', 'aadhaar', 'pincode', 'documentKey'].map((field) => ({ field })),
    });
  });
});
