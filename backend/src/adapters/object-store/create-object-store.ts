import { z } from 'zod';
import { defineVariables, parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import { createFilesystemStore } from './filesystem/create-filesystem-store.ts';
import { filesystemVariables } from './filesystem/filesystem.config.ts';
import { createNoStore } from './none/create-no-store.ts';
import type { ObjectStore } from './port.ts';
import { createS3Store } from './s3/create-s3-store.ts';
import { s3Variables } from './s3/s3.config.ts';

export const objectStoreVariables = defineVariables({
  OBJECT_STORE: {
    schema: z.enum(['filesystem', 's3', 'none']).default('filesystem'),
    doc: 'the object store: `filesystem`, `s3` for any S3-compatible server, or `none`',
  },
});

const makers = {
  none: (): ObjectStore & Closable => ({ ...createNoStore(), close: async () => {} }),
  filesystem: (env: Environment): ObjectStore & Closable => ({
    ...createFilesystemStore(parseAdapterConfig(filesystemVariables, env)),
    close: async () => {},
  }),
  s3: (env: Environment, deps: AdapterDeps) =>
    createS3Store(parseAdapterConfig(s3Variables, env), deps),
} as const;

/**
 * Creates the object store that the environment names.
 * @throws ConfigError that names every missing or wrong variable
 */
export const createObjectStore = (env: Environment, deps: AdapterDeps): ObjectStore & Closable =>
  makers[parseConfig(objectStoreVariables, env).OBJECT_STORE](env, deps);
