import { resolve } from 'node:path';

/** Where the configuration reference is kept. */
export const configurationFile = resolve(import.meta.dirname, '../../docs/configuration.md');
