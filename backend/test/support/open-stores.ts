import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createObjectStore } from '../../src/adapters/object-store/create-object-store.ts';
import type { ObjectStore } from '../../src/adapters/object-store/port.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createLogger } from '../../src/platform/observability/index.ts';
import { freePort } from '../../dev/stack/free-port.ts';
import { eventually } from './eventually.ts';

export interface OpenStore {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

const deps = {
  clock: createSystemClock(),
  logger: createLogger({ level: 'silent', name: 'test' }),
};

/** Opens a store in a folder that goes with it. */
export const openFilesystemStore = async (): Promise<OpenStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'digital-gold-objects-'));
  const store = createObjectStore({ APP_MODE: 'test', OBJECT_STORE_DIR: folder }, deps);
  return {
    store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
};

const credentials = { id: 'digital-gold', secret: 'dev-only-s3-secret-access-key' };

/** Opens a bucket of a separate S3 server: `versitygw`, which has to be on the PATH. */
export const openS3Store = async (): Promise<OpenStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'digital-gold-s3-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  await mkdir(join(folder, 'documents'));
  const server = spawn(
    'versitygw',
    ['--port', url.slice('http://'.length), '--health', '/health', '--quiet', 'posix', folder],
    {
      env: {
        ...process.env,
        ROOT_ACCESS_KEY: credentials.id,
        ROOT_SECRET_KEY: credentials.secret,
      },
      stdio: 'ignore',
    },
  );
  await once(server, 'spawn');
  await eventually(async () => (await fetch(`${url}/health`)).ok);
  const store = createObjectStore(
    {
      APP_MODE: 'test',
      OBJECT_STORE: 's3',
      S3_BASE_URL: url,
      S3_BUCKET: 'documents',
      S3_ACCESS_KEY_ID: credentials.id,
      S3_SECRET_ACCESS_KEY: credentials.secret,
    },
    deps,
  );
  return {
    store,
    async close() {
      await store.close();
      const ended = once(server, 'exit');
      server.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};
