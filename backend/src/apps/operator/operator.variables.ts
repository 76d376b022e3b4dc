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

/** The operator command's variables, each read as every process does. */
export const operatorVariables = defineVariables({
  APP_MODE,
  DATABASE_URL,
  ...databasePartVariables,
  ALLOW_PLAIN_STORES,
  CREDENTIAL_PEPPER,
  CLOCK_CONTROL,
  CLOCK_URL,
});

/** Only the commands of the keyring read these in addition. */
export const keyringVariables = defineVariables({ APP_MODE, PII_KEYRING });
