import { z } from 'zod';
import { defineVariables, parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import { createGithub } from './github/create-github.ts';
import { githubVariables } from './github/github.config.ts';
import type { Ci } from './port.ts';

export const ciVariables = defineVariables({
  CI_PROVIDER: { schema: z.enum(['github']).default('github'), doc: 'the CI system' },
});

const makers = {
  github: (env: Environment, deps: AdapterDeps) =>
    createGithub(parseAdapterConfig(githubVariables, env), deps),
} as const;

/**
 * Creates the CI system that the environment names. Returns undefined without an access token, since
 * the service also runs without CI.
 * @throws ConfigError that names every missing or wrong variable
 */
export const createCi = (env: Environment, deps: AdapterDeps): (Ci & Closable) | undefined =>
  makers[parseConfig(ciVariables, env).CI_PROVIDER](env, deps);
