import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller } from '#test/support/caller.ts';
import { openCatalogue, type OpenCatalogue } from '#test/support/open-catalogue.ts';
import { createAdmins } from '../admins/index.ts';
import { createCatalogueAdmin } from './index.ts';

let shop: OpenCatalogue;
beforeAll(async () => {
  shop = await openCatalogue();
});
afterAll(() => shop.system.close());

const gold = { r: 212, g: 175, b: 55 };
const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: gold } });
const upload = (id: string, bytes: Uint8Array) =>
  shop.admin('POST', `/products/${id}/image`, {
    dataBase64: Buffer.from(bytes).toString('base64'),
  });
const objectsOf = async (id: string): Promise<string[]> => {
  const folder = join(shop.system.objectsDir, 'products', id);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return names.filter((one) => one.isFile()).map(({ name }) => name);
};
const imageOf = (id: string, headers: Record<string, string> = {}, query = '') =>
  fetch(`${shop.url}/products/${id}/image${query}`, { headers });
const bytesOf = async (response: Response): Promise<Buffer> =>
  Buffer.from(await response.arrayBuffer());

describe('an image', () => {
  it('is encoded in several widths, upright and without metadata', async () => {
    const { id } = await shop.create();
    const photo = await canvas(1600, 800)
      .withExif({ IFD0: { Copyright: 'somebody', Make: 'a camera' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    // The image also contains HTML, which a client that sniffs content could run.
    const polyglot = Buffer.concat([photo, Buffer.from('<script>alert(1)</script>')]);
    const answer = await upload(id, polyglot);
    expect(answer.status).toBe(200);
    expect((await objectsOf(id)).toSorted()).toEqual([
      '320.jpeg',
      '320.webp',
      '640.jpeg',
      '640.webp',
      '800.jpeg',
      '800.webp',
    ]);
    const response = await imageOf(id, { accept: 'image/avif,image/webp,*/*;q=0.8' });
    const bytes = await bytesOf(response);
    const seen = await sharp(bytes).metadata();
    expect(seen).toMatchObject({ format: 'webp', width: 800, height: 1600 });
    expect([seen.exif, seen.orientation, seen.icc]).toEqual([undefined, undefined, undefined]);
    expect(bytes.includes('script') || bytes.includes('camera')).toBe(false);
    const [audit] = await shop.system.db.auditLog.findMany({
      where: { targetId: id, action: 'product.image.replace' },
    });
    expect(audit).toMatchObject({ before: { imageKey: null } });
  });

  it('is accepted as base64 text, as JSON, with line breaks and without padding', async () => {
    const { id } = await shop.create();
    const text = (await canvas(3, 3).png().toBuffer()).toString('base64');
    const bodies = [
      text,
      text.replaceAll('=', ''),
      text.replaceAll(/(.{20})/gu, '$1\r\n'),
      JSON.stringify({ dataBase64: text }),
    ];
    const types = ['text/plain', 'application/json', 'application/x-www-form-urlencoded'];
    for (const body of bodies) {
      for (const type of types) {
        const call = createCaller(shop.adminUrl, {
          authorization: `Bearer ${shop.tokens.ADMIN}`,
          'content-type': type,
        });
        expect((await call('POST', `/products/${id}/image`, body)).status).toBe(200);
      }
    }
  });

  it('is sent in a suitable width and format, with the headers for caches', async () => {
    const { id } = await shop.create();
    await upload(id, await canvas(2000, 1000).png().toBuffer());
    const requests: readonly [string, string, string, number][] = [
      ['', 'image/webp', 'image/webp', 1280],
      ['', '*/*', 'image/jpeg', 1280],
      ['', 'image/webp;q=0, image/*', 'image/jpeg', 1280],
      ['?width=1', '*/*', 'image/jpeg', 320],
      ['?width=320', '*/*', 'image/jpeg', 320],
      ['?width=321&v=x', 'IMAGE/WEBP;q=0.5', 'image/webp', 640],
      ['?width=5000', '*/*', 'image/jpeg', 1280],
    ];
    const tags = new Set<string>();
    for (const [query, accept, type, width] of requests) {
      const response = await imageOf(id, { accept }, query);
      const { headers } = response;
      expect(response.status).toBe(200);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('cache-control')).toBe('public, max-age=86400');
      expect(headers.get('vary')).toContain('Accept');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const bytes = await bytesOf(response);
      expect(headers.get('content-length')).toBe(String(bytes.length));
      expect((await sharp(bytes).metadata()).width).toBe(width);
      tags.add(headers.get('etag') ?? '');
    }
    expect(tags.size).toBe(4);
    for (const query of ['?width=0', '?width=-1', '?width=1.5', '?width=x']) {
      expect((await imageOf(id, {}, query)).status).toBe(400);
    }
    const head = await fetch(`${shop.url}/products/${id}/image`, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
    expect((await bytesOf(head)).length).toBe(0);
  });

  it('is not sent to a client that has it until it is replaced', async () => {
    const { id } = await shop.create();
    await upload(id, await canvas(40, 40).png().toBuffer());
    const first = await imageOf(id);
    const etag = first.headers.get('etag') ?? '';
    const date = first.headers.get('last-modified') ?? '';
    const conditions: readonly [Record<string, string>, number][] = [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': `"other", W/${etag}` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"other"' }, 200],
      [{ 'if-modified-since': date }, 304],
      [{ 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }, 200],
      [{ 'if-modified-since': 'no date' }, 200],
      [{ 'if-none-match': '"other"', 'if-modified-since': date }, 200],
    ];
    for (const [headers, status] of conditions) {
      expect([headers, (await imageOf(id, headers)).status]).toEqual([headers, status]);
    }
    const condition = { 'if-none-match': etag };
    const twenty = await Promise.all(Array.from({ length: 20 }, () => imageOf(id, condition)));
    for (const response of twenty) {
      expect([response.status, (await bytesOf(response)).length]).toEqual([304, 0]);
      expect(response.headers.get('etag')).toBe(etag);
    }
    const product = (await shop.ask('GET', `/products/${id}`)).body;
    shop.system.clock.advance(2000);
    await upload(id, await canvas(41, 41).png().toBuffer());
    expect((await imageOf(id, condition)).status).toBe(200);
    const fresh = (await shop.ask('GET', `/products/${id}`)).body;
    expect(fresh['imageUrl']).not.toBe(product['imageUrl']);
    const url = new URL(String(fresh['imageUrl']), shop.url);
    expect((await fetch(url)).status).toBe(200);
  });

  it('is 404 if there is none, or if the product is inactive', async () => {
    const { id } = await shop.create();
    expect((await imageOf(id)).status).toBe(404);
    await upload(id, await canvas(4, 4).png().toBuffer());
    await shop.admin('DELETE', `/products/${id}`);
    expect((await imageOf(id)).status).toBe(404);
    expect((await imageOf('x')).status).toBe(404);
  });
});

/** Makes a PNG of a few bytes whose header claims these sides. */
const bomb = async (side: number): Promise<Buffer> => {
  const png = await canvas(1, 1).png().toBuffer();
  png.writeUInt32BE(side, 16);
  png.writeUInt32BE(side, 20);
  // The checksum of the header covers its type and data.
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
};

describe('an upload', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
  const hostile: readonly [string, () => Promise<Buffer> | Buffer, RegExp][] = [
    ['an SVG with a script', () => Buffer.from(svg), /JPEG, PNG or WebP/u],
    ['an SVG that says XML', () => Buffer.from(`<?xml version="1.0"?>${svg}`), /looks like/u],
    ['a GIF', () => canvas(4, 4).gif().toBuffer(), /image\/gif/u],
    ['a PDF', () => Buffer.from('%PDF-1.4\n%%EOF'), /application\/pdf/u],
    ['a page of HTML', () => Buffer.from('<html></html>'), /no image/u],
    ['a PNG of 50,000 x 50,000', () => bomb(50_000), /50000 x 50000/u],
    ['a PNG of 15,000 x 15,000', () => bomb(15_000), /40 megapixels/u],
    [
      'the head of a PNG',
      async () => (await canvas(9, 9).png().toBuffer()).subarray(0, 40),
      /whole/u,
    ],
    [
      'half a JPEG',
      async () => {
        const whole = await canvas(600, 600).jpeg().toBuffer();
        return whole.subarray(0, whole.length / 2);
      },
      /whole/u,
    ],
    [
      'a PNG of garbage',
      async () => Buffer.concat([(await bomb(9)).subarray(0, 33), deflateSync('garbage')]),
      /whole/u,
    ],
    ['a few bytes', () => Buffer.from([1, 2, 3, 4]), /no image/u],
  ];
  it.each(hostile)(
    'of %s is refused by its content, and leaves no object',
    async (_what, make, why) => {
      const { id } = await shop.create();
      const answer = await upload(id, await make());
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field: 'dataBase64' });
      expect(JSON.stringify(answer.body)).toMatch(why);
      expect(await shop.system.db.productImage.count({ where: { productId: id } })).toBe(0);
      expect((await imageOf(id)).status).toBe(404);
    },
  );

  it.each([
    ['', 'dataBase64'],
    ['{}', 'dataBase64'],
    ['{"dataBase64":""}', 'dataBase64'],
    ['{"dataBase64":5}', 'dataBase64'],
    ['{"dataBase64":"not base64!"}', 'dataBase64'],
    ['A', 'dataBase64'],
    ['%%%%', 'dataBase64'],
    ['{"dataBase64":', undefined],
  ])('with the body %s is refused', async (body, field) => {
    const { id } = await shop.create();
    expect(await shop.admin('POST', `/products/${id}/image`, body)).toMatchObject({
      status: 400,
      code: field === undefined ? 'MALFORMED_JSON' : 'VALIDATION_FAILED',
      field,
    });
  });

  it('in another charset is refused', async () => {
    const { id } = await shop.create();
    const text = (await canvas(3, 3).png().toBuffer()).toString('base64');
    const call = createCaller(shop.adminUrl, {
      authorization: `Bearer ${shop.tokens.ADMIN}`,
      'content-type': 'application/json; charset=utf-16',
    });
    const refused = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' };
    expect(await call('POST', `/products/${id}/image`, text)).toMatchObject(refused);
  });

  it('of too many bytes is refused', async () => {
    const { id } = await shop.create();
    const tooLarge = { status: 413, code: 'PAYLOAD_TOO_LARGE' };
    expect(await upload(id, Buffer.alloc(5 * 1024 * 1024 + 1))).toMatchObject(tooLarge);
    expect(await upload(id, Buffer.alloc(8 * 1024 * 1024))).toMatchObject(tooLarge);
  });

  it('of an animation keeps its first picture, and may be a single pixel', async () => {
    const { id } = await shop.create();
    const pictures = [canvas(8, 8), canvas(8, 8).negate()].map((one) => one.png().toBuffer());
    const frames = await sharp(await Promise.all(pictures), { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer();
    expect((await sharp(frames).metadata()).pages).toBe(2);
    expect((await upload(id, frames)).status).toBe(200);
    const kept = await bytesOf(await imageOf(id, { accept: 'image/webp' }));
    expect((await sharp(kept).metadata()).pages).toBeUndefined();
    expect((await upload(id, await canvas(1, 1).png().toBuffer())).status).toBe(200);
  });
});

const later = (ms: number) => shop.system.clock.advance(ms);
const sweep = () => shop.sweeps.removeImages(new AbortController().signal);

describe('the objects of an image', () => {
  it('are removed some time after it is replaced', async () => {
    const { id } = await shop.create();
    await upload(id, await canvas(30, 30).png().toBuffer());
    await upload(id, await canvas(31, 31).png().toBuffer());
    await sweep();
    expect(await objectsOf(id)).toHaveLength(4);
    later(11 * 60_000);
    await sweep();
    expect((await objectsOf(id)).toSorted()).toEqual(['31.jpeg', '31.webp']);
    expect(await shop.system.db.productImage.count({ where: { productId: id } })).toBe(1);
    expect((await imageOf(id)).status).toBe(200);
  });

  it('are found by the sweep if the upload failed half-way', async () => {
    const { id } = await shop.create();
    const { system } = shop;
    // The store accepts only the first object.
    let puts = 0;
    const objects = {
      ...system.objects,
      put: async (...given: Parameters<typeof system.objects.put>) => {
        puts += 1;
        if (puts > 1) throw new Error('the process is gone');
        return system.objects.put(...given);
      },
    };
    const { price } = await shop.startReplica();
    const { adminRoutes } = createCatalogueAdmin({
      ...system,
      objects,
      live: price.live,
    });
    const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
    const url = await system.serve({ prefix: '/v1', routes: adminRoutes, guard });
    const call = createCaller(url, { authorization: `Bearer ${shop.tokens.ADMIN}` });
    const dataBase64 = (await canvas(30, 30).png().toBuffer()).toString('base64');
    expect((await call('POST', `/products/${id}/image`, { dataBase64 })).status).toBe(500);
    expect(await objectsOf(id)).toEqual(['30.webp']);
    await sweep();
    expect(await objectsOf(id)).toHaveLength(1);
    later(61 * 60_000);
    await sweep();
    expect(await objectsOf(id)).toEqual([]);
    expect((await shop.admin('GET', `/products/${id}`)).body['imageUrl']).toBeNull();
  });

  it('of concurrent uploads are those of one of them', async () => {
    const { id } = await shop.create();
    const pictures = await Promise.all(
      [50, 51, 52, 53].map((side) => canvas(side, side).png().toBuffer()),
    );
    const answers = await Promise.all(pictures.map((bytes) => upload(id, bytes)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    later(11 * 60_000);
    await sweep();
    expect(await objectsOf(id)).toHaveLength(2);
    expect((await imageOf(id)).status).toBe(200);
  });
});
