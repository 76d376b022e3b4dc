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
 * Returns an adapter's variables for a process that may receive no webhooks: it reads no secret of
 * theirs, and no signature holds.
 */
export const webhookVariables = <const T extends VariableTable>(
  table: T,
  name: keyof T & string,
  { receivesWebhooks = true }: { readonly receivesWebhooks?: boolean },
): T => {
  if (receivesWebhooks) return table;
  const none = { schema: z.unknown().transform((): string[] => []), doc: '' };
  // The row's value is a list of texts as before, an empty one.
  return { ...table, [name]: none };
};

/**
 * An adapter's variables. In production (the default mode) the address of a collaborator must be
 * one of https (contract: collaborators > Modes).
 * @throws ConfigError naming every variable that is missing or wrong
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
  const inClear = Object.entries<unknown>(config)
    .filter(([name]) => /_(?:BASE|API)_URL$/u.test(name))
    .filter(([, url]) => typeof url === 'string' && !url.startsWith('https://'))
    .map(([name]) => `${name}: must be an https address in production`);
  if (inClear.length > 0) throw new ConfigError(inClear.join('\n'));
  return config;
};
