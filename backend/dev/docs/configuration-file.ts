import { resolve } from 'node:path';

/** The path of the configuration reference. */
export const configurationFile = resolve(import.meta.dirname, '../../docs/configuration.md');
