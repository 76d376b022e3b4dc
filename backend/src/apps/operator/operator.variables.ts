import { defineVariables } from '../../platform/config/config.ts';
import { databasePartVariables } from '../../platform/config/database-address.ts';
import { processVariables } from '../../runtime/process.variables.ts';

const {
  APP_MODE,
  DATABASE_URL,
  ALLOW_PLAIN_STORES,
  CREDENTIAL_PEPPER,
  PII_KEYRING,
  CLOCK_CONTROL,
  CLOCK_URL,
} = processVariables;

/** The operator command's variables. Each is read as in every other process. */
export const operatorVariables = defineVariables({
  APP_MODE,
  DATABASE_URL,
  ...databasePartVariables,
  ALLOW_PLAIN_STORES,
  CREDENTIAL_PEPPER,
  CLOCK_CONTROL,
  CLOCK_URL,
});

/** Further variables of the commands that open the keyring. */
export const keyringVariables = defineVariables({ APP_MODE, PII_KEYRING });
