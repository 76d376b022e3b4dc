import { z } from 'zod';
import { defineVariables, parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import type { GoldProvider } from './port.ts';
import { createSafegold } from './safegold/create-safegold.ts';
import { safegoldVariables } from './safegold/safegold.config.ts';

export const goldProviderVariables = defineVariables({
  GOLD_PROVIDER: { schema: z.enum(['safegold']).default('safegold'), doc: 'the gold provider' },
});

const factories = {
  safegold: (env: Environment, deps: AdapterDeps) =>
    createSafegold(parseAdapterConfig(safegoldVariables, env), deps),
} as const;

/**
 * Creates the gold provider that the environment names. Reads only that provider's variables.
 * @throws ConfigError that names every missing or wrong variable
 */
export const createGoldProvider = (env: Environment, deps: AdapterDeps): GoldProvider & Closable =>
  factories[parseConfig(goldProviderVariables, env).GOLD_PROVIDER](env, deps);
