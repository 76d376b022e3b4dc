import { parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import { createMsg91 } from './msg91/create-msg91.ts';
import { msg91Variables } from './msg91/msg91.config.ts';
import type { SmsGateway } from './port.ts';
import { smsVariables } from './sms.config.ts';

const makers = {
  msg91: (env: Environment, deps: AdapterDeps) =>
    createMsg91(parseAdapterConfig(msg91Variables, env), deps),
} as const;

/**
 * The SMS gateway that the environment names, configured from it.
 * @throws ConfigError naming what is missing or wrong
 */
export const createSmsGateway = (env: Environment, deps: AdapterDeps): SmsGateway & Closable =>
  makers[parseConfig(smsVariables, env).SMS_PROVIDER](env, deps);
