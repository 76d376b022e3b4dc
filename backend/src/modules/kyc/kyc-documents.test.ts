import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeCustomer } from '#test/support/factories.ts';
import { openKyc, panUpload, pngBase64, type OpenKyc } from '#test/support/open-kyc.ts';
import { documentContext } from './kyc-sealing.ts';

const magic = {
  'image/jpeg': 'ffd8ffe000104a46494600010100000100010000ffd9',
  'image/webp': '52494646240000005745425056503820180000003001009d012a0100010002003425a40003700000',
  'application/pdf': Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF').toString('hex'),
} as const;

const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** Returns a PNG of exactly this number of bytes. */
const pngOf = (bytes: number): string => {
  const head = Buffer.from(pngBase64, 'base64');
  return Buffer.concat([head, Buffer.alloc(bytes - head.length)]).toString('base64');
};

let kyc: OpenKyc;
let customer: MadeCustomer;

beforeAll(async () => {
  kyc = await openKyc();
  customer = await kyc.make.customer();
});

afterAll(async () => kyc.system.close());

const upload = (changes: object = {}, who: MadeCustomer | undefined = customer) =>
  kyc.as(who)('POST', '/kyc/documents', { ...panUpload, ...changes });

/** Returns the stored type of an uploaded document. */
const storedTypeOf = async (changes: object): Promise<string | undefined> => {
  const answer = await upload(changes);
  expect(answer).toMatchObject({ status: 201 });
  const key = String(answer.body['documentKey']);
  return (await kyc.system.db.kycDocument.findUnique({ where: { key } }))?.contentType;
};

const storedFiles = (): string[] =>
  readdirSync(kyc.system.objectsDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('an upload', () => {
  it('returns a key under which the bytes are sealed', async () => {
    const answer = await upload();
    expect(answer).toMatchObject({ status: 201 });
    const key = String(answer.body['documentKey']);
    expect(key).toMatch(new RegExp(`^kyc/${customer.userId}/[0-9a-f-]{36}$`, 'u'));

    const plain = Buffer.from(pngBase64, 'base64');
    const { system } = kyc;
    const found = await system.objects.get(key);
    const sealed = found.kind === 'done' ? found.value?.bytes : undefined;
    expect(sealed?.includes(plain.subarray(0, 8))).toBe(false);
    for (const file of storedFiles()) expect(readFileSync(file).includes(plain)).toBe(false);

    const sealer = await system.vault.forUser(system.db, customer.userId);
    const context = documentContext(key);
    expect(sealer.openBytes(sealed ?? Buffer.alloc(0), context)).toEqual(plain);
    // The sealed bytes are bound to their key, so they can't be opened under another key.
    const foreign = documentContext(`${key}x`);
    expect(() => sealer.openBytes(sealed ?? Buffer.alloc(0), foreign)).toThrow('does not open');
  });

  it('stores its kind, type, size and hash', async () => {
    const key = String((await upload({ kind: 'SELFIE' })).body['documentKey']);
    expect(await kyc.system.db.kycDocument.findUnique({ where: { key } })).toMatchObject({
      userId: customer.userId,
      kind: 'SELFIE',
      contentType: 'image/png',
      sizeBytes: Buffer.from(pngBase64, 'base64').length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
  });

  it.each(Object.entries(magic))('accepts %s', async (contentType, hex) => {
    expect(await upload({ contentType, dataBase64: base64Of(hex) })).toMatchObject({ status: 201 });
  });

  it.each([
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/JPEG', 'image/jpeg'],
    ['image/jpeg; charset=binary', 'image/jpeg'],
    ['image/pjpeg', 'image/jpeg'],
  ])('accepts a JPEG that is declared as %s', async (contentType, kept) => {
    const dataBase64 = base64Of(magic['image/jpeg']);
    expect(await storedTypeOf({ contentType, dataBase64 })).toBe(kept);
  });

  it('stores the type of the content, whatever type was declared', async () => {
    expect(await storedTypeOf({ contentType: 'image/jpeg' })).toBe('image/png');
    const jpeg = { contentType: 'application/pdf', dataBase64: base64Of(magic['image/jpeg']) };
    expect(await storedTypeOf(jpeg)).toBe('image/jpeg');
  });

  it('may have line breaks in its base64, and stores the same bytes', async () => {
    const dataBase64 = `${pngBase64.replaceAll(/.{76}/gu, '$&\r\n')}\n`;
    const answer = await upload({ dataBase64 });
    expect(answer).toMatchObject({ status: 201 });
    const key = String(answer.body['documentKey']);
    const plain = Buffer.from(pngBase64, 'base64');
    expect(await kyc.system.db.kycDocument.findUnique({ where: { key } })).toMatchObject({
      sizeBytes: plain.length,
      sha256: createHash('sha256').update(plain).digest('hex'),
    });
  });

  it.each([
    ['white space', '\r\n \t'],
    ['a byte order mark', '\u00ef\u00bb\u00bf'],
  ])('accepts a PDF after %s', async (_what, before) => {
    const pdf = Buffer.from(`${before}%PDF-1.4\n%%EOF`, 'latin1');
    const document = { contentType: 'application/pdf', dataBase64: pdf.toString('base64') };
    expect(await storedTypeOf(document)).toBe('application/pdf');
  });

  it('is for customers', async () => {
    expect(await kyc.as()('POST', '/kyc/documents', panUpload)).toMatchObject({ status: 401 });
    const operator = { ...customer, token: kyc.admin.token };
    expect(await upload({}, operator)).toMatchObject({ status: 401 });
  });
});

describe('the upload refuses and does not store', () => {
  it.each([
    ['a GIF that says PNG', { dataBase64: base64Of('474946383961') }, 'dataBase64'],
    ['a PDF within other text', { dataBase64: btoa('<html>%PDF-1.4') }, 'dataBase64'],
    ['text that says PNG', { dataBase64: 'aGVsbG8gd29ybGQ=' }, 'dataBase64'],
    [
      'HTML that is declared as PDF',
      { contentType: 'application/pdf', dataBase64: 'PGh0bWw+' },
      'dataBase64',
    ],
    ['a GIF', { contentType: 'image/gif' }, 'contentType'],
    ['SVG', { contentType: 'image/svg+xml' }, 'contentType'],
    ['no kind', { kind: undefined }, 'kind'],
    ['an unknown kind', { kind: 'PASSPORT' }, 'kind'],
    ['no data', { dataBase64: '' }, 'dataBase64'],
    ['data that is no base64', { dataBase64: '../../etc/passwd' }, 'dataBase64'],
    ['a data URL', { dataBase64: `data:image/png;base64,${pngBase64}` }, 'dataBase64'],
    ['a number as data', { dataBase64: 1 }, 'dataBase64'],
    ['a list as data', { dataBase64: [pngBase64] }, 'dataBase64'],
  ])('%s', async (_name, changes, field) => {
    const before = storedFiles().length;
    const answer = await upload(changes);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
    expect(storedFiles()).toHaveLength(before);
  });

  it('a document of more than 3 MB, to the byte', async () => {
    const limit = 3 * 1024 * 1024;
    expect(await upload({ dataBase64: pngOf(limit) })).toMatchObject({ status: 201 });
    const over = await upload({ dataBase64: pngOf(limit + 1) });
    expect(over).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it('a body of more than 4.2 MB', async () => {
    const answer = await upload({ dataBase64: 'A'.repeat(4_500_000) });
    expect(answer).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it('a 41st document', async () => {
    const hoarder = await kyc.make.customer();
    for (let count = 0; count < 40; count += 1) {
      expect((await upload({}, hoarder)).status).toBe(201);
    }
    expect(await upload({}, hoarder)).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED' });
  });

  it('all but one of ten concurrent uploads for the last place', async () => {
    const hoarder = await kyc.make.customer();
    for (let count = 0; count < 39; count += 1) await upload({}, hoarder);
    const before = storedFiles().length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload({}, hoarder)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'LIMIT_EXCEEDED')).toHaveLength(9);
    const { userId } = hoarder;
    expect(await kyc.system.db.kycDocument.count({ where: { userId } })).toBe(40);
    expect(storedFiles()).toHaveLength(before + 1);
  });
});
