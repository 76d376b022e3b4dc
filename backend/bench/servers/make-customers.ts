import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { createTokenSigner } from '../../src/platform/auth/jwt.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import {
  createBlindIndex,
  createSecretHasher,
  createVault,
  parseKeyring,
} from '../../src/platform/crypto/index.ts';
import { createDatabase } from '../../src/platform/db/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createSilentLogger } from '../../src/platform/observability/index.ts';
import { createFactories } from '#test/support/factories.ts';

/**
 * Creates `COUNT` customers with approved KYC by the modules' own stores, and registers them with
 * the provider. Prints them as one line of JSON. Reads the customer API's environment.
 */
const env = process.env;
const read = (name: string): string => env[name] ?? '';
const clock = createSystemClock();
const logger = createSilentLogger();
const provider = createGoldProvider(env, { clock, logger });
const applicationName = 'bench-customers';
const database = createDatabase({ url: read('DATABASE_URL'), poolSize: 5, applicationName });
const factories = createFactories({
  ...database,
  clock,
  random: createRandom(),
  provider,
  tokens: createTokenSigner({ secret: read('JWT_SECRET'), clock }),
  vault: createVault({ keyring: parseKeyring(read('PII_KEYRING')) }),
  blindIndex: createBlindIndex(read('BLIND_INDEX_KEY')),
  hasher: createSecretHasher({ pepper: read('CREDENTIAL_PEPPER') }),
});
const made = [];
const count = Number(read('COUNT'));
while (made.length < count) made.push(await factories.approvedCustomer());
await provider.close();
await database.close();
process.stdout.write(`${JSON.stringify(made)}\n`);
