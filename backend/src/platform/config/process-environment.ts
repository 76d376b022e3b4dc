import type { Environment } from './config.ts';

/** The environment of this process, for what runs before `main.ts` can parse it. */
export const processEnvironment = (): Environment => process.env;
