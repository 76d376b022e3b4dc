import { parseConfig, type Environment } from '../../platform/config/config.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import { createFilesystemStore } from './filesystem/create-filesystem-store.ts';
import { filesystemVariables } from './filesystem/filesystem.config.ts';
import { objectStoreVariables } from './object-store.config.ts';
import type { ObjectStore } from './port.ts';

const makers = {
  filesystem: (env: Environment) =>
    createFilesystemStore(parseAdapterConfig(filesystemVariables, env)),
} as const;

/**
 * The object store that the environment names, configured from it.
 * @throws ConfigError naming what is missing or wrong
 */
export const createObjectStore = (env: Environment): ObjectStore =>
  makers[parseConfig(objectStoreVariables, env).OBJECT_STORE](env);
