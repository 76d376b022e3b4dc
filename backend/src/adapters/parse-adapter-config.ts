import { z } from 'zod';
import {
  ConfigError,
  parseConfig,
  type Config,
  type Environment,
  type VariableTable,
} from '../platform/config/config.ts';
import { appMode } from '../platform/config/kinds.ts';

/**
 * Returns the variables of an adapter. For a process that receives no webhooks, the list of webhook
 * secrets is empty, so that the process needs no secret and no signature is valid.
 */
export const webhookVariables = <const T extends VariableTable>(
  table: T,
  name: keyof T & string,
  { receivesWebhooks = true }: { readonly receivesWebhooks?: boolean },
): T => {
  if (receivesWebhooks) return table;
  const none = { schema: z.unknown().transform((): string[] => []), doc: '' };
  // The value is still a list of texts, which is empty.
  return { ...table, [name]: none };
};

/**
 * Parses the variables of an adapter. In production, which is the default mode, the address of a
 * collaborator must use HTTPS (contract: collaborators > Modes).
 * @throws ConfigError that names every missing or wrong variable
 */
export const parseAdapterConfig = <const T extends VariableTable>(
  table: T,
  env: Environment,
): Config<T> => {
  const { APP_MODE: mode } = parseConfig(
    { APP_MODE: { schema: appMode(), doc: 'development, test or production' } },
    env,
  );
  const config = parseConfig(table, env);
  if (mode !== 'production') return config;
  const faults = Object.entries<unknown>(config)
    .filter(([name]) => /_(?:BASE|API)_URL$/u.test(name))
    .filter(([, url]) => typeof url === 'string' && !url.startsWith('https://'))
    .map(([name]) => `${name}: must be an https address in production`);
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return config;
};
