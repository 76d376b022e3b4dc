import { z } from 'zod';
import { defineVariables, parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import { createMsg91 } from './msg91/create-msg91.ts';
import { msg91Variables } from './msg91/msg91.config.ts';
import type { SmsGateway } from './port.ts';

export const smsVariables = defineVariables({
  SMS_PROVIDER: { schema: z.enum(['msg91']).default('msg91'), doc: 'the SMS gateway' },
});

const makers = {
  msg91: (env: Environment, deps: AdapterDeps) =>
    createMsg91(parseAdapterConfig(msg91Variables, env), deps),
} as const;

/**
 * Creates the SMS gateway that the environment names.
 * @throws ConfigError that names every missing or wrong variable
 */
export const createSmsGateway = (env: Environment, deps: AdapterDeps): SmsGateway & Closable =>
  makers[parseConfig(smsVariables, env).SMS_PROVIDER](env, deps);
