import { parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import { createFilesystemStore } from './filesystem/create-filesystem-store.ts';
import { filesystemVariables } from './filesystem/filesystem.config.ts';
import { objectStoreVariables } from './object-store.config.ts';
import type { ObjectStore } from './port.ts';
import { createS3Store } from './s3/create-s3-store.ts';
import { s3Variables } from './s3/s3.config.ts';

const makers = {
  filesystem: (env: Environment): ObjectStore & Closable => ({
    ...createFilesystemStore(parseAdapterConfig(filesystemVariables, env)),
    close: async () => {},
  }),
  s3: (env: Environment, deps: AdapterDeps) =>
    createS3Store(parseAdapterConfig(s3Variables, env), deps),
} as const;

/**
 * The object store that the environment names, configured from it.
 * @throws ConfigError naming what is missing or wrong
 */
export const createObjectStore = (env: Environment, deps: AdapterDeps): ObjectStore & Closable =>
  makers[parseConfig(objectStoreVariables, env).OBJECT_STORE](env, deps);
