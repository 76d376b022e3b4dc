import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createS3Store } from '../../../adapters/object-store/s3/create-s3-store.ts';
import { createSystemClock } from '../../../platform/clock/clock.ts';
import { createLogger } from '../../../platform/observability/index.ts';
import { openSandbox } from '../testing/open-sandbox.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

const key = 'kyc/user-1/document.bin';
const bytes = Buffer.from([0, 1, 255, 128]);

const openStore = (url: string, changes: object = {}) =>
  createS3Store(
    {
      S3_BASE_URL: `${url}/s3`,
      S3_REGION: 'us-east-1',
      S3_BUCKET: 'objects',
      S3_ACCESS_KEY_ID: 'dev-only-objects-key-id',
      S3_SECRET_ACCESS_KEY: 'dev-only-objects-secret-access-key-00001',
      S3_TIMEOUT_MS: 10_000,
      ...changes,
    },
    { clock: createSystemClock(), logger: createLogger({ level: 'silent', name: 'test' }) },
  );

it('the object server keeps what the store of the service puts there, over a restart too', async () => {
  const first = await openSandbox({ stateDir });
  const store = openStore(first.url);
  expect(await store.get(key)).toEqual({ kind: 'done', value: undefined });
  expect((await store.put(key, bytes, 'image/png', { ifAbsent: true })).kind).toBe('done');
  expect(await store.put(key, bytes, 'image/png', { ifAbsent: true })).toMatchObject({
    kind: 'refused',
    code: 'OBJECT_EXISTS',
  });
  await first.stop();

  const second = await openSandbox({ stateDir });
  const again = openStore(second.url);
  expect(await again.head(key)).toEqual({
    kind: 'done',
    value: { contentType: 'image/png', sizeBytes: 4 },
  });
  expect(await again.get(key)).toMatchObject({ kind: 'done', value: { bytes } });
  expect((await again.delete(key)).kind).toBe('done');
  expect(await again.head(key)).toEqual({ kind: 'done', value: undefined });
});

it('the object server refuses another key and knows no other bucket', async () => {
  const { url } = await openSandbox({});
  const stranger = openStore(url, { S3_ACCESS_KEY_ID: 'somebody' });
  expect((await stranger.get(key)).kind).toBe('unknown');
  const elsewhere = openStore(url, { S3_BUCKET: 'others' });
  expect((await elsewhere.head(key)).kind).toBe('unknown');
});
