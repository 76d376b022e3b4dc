import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTrade } from '../../src/apps/runtime/create-trade.ts';
import { loadConfig } from '../../src/apps/runtime/load-config.ts';
import { tradeVariables } from '../../src/apps/runtime/trade.variables.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-defaults.ts';
import { createReadinessStore, evidenceItems } from '../../src/modules/readiness/index.ts';
import { AppError } from '../../src/platform/errors/app-error.ts';
import type { Guard } from '../../src/platform/http/index.ts';
import type { Factories } from './factories.ts';
import type { Kit } from './open-kit.ts';

/** Takes the token for the customer's id: signing in is another module's. */
export const customerGuard: Guard = {
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'id' },
  schemeName: 'bearer',
  async admit(req) {
    const userId = /^Bearer (.+)$/u.exec(req.get('authorization') ?? '')?.[1];
    if (userId === undefined) throw new AppError('UNAUTHENTICATED');
    return { userId };
  },
};

/** What a process on this kit's stores and sandbox reads. */
export const environmentOf = ({ addresses, sandbox: { url } }: Kit) => ({
  APP_MODE: 'test',
  DATABASE_URL: addresses.databaseUrl,
  REDIS_URL: addresses.redisUrl,
  PII_KEYRING: `k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`,
  BLIND_INDEX_KEY: 'dev-only-blind-index-key-of-32-chars',
  CREDENTIAL_PEPPER: 'dev-only-credential-pepper-of-32-chars',
  JWT_SECRET: 'dev-only-jwt-secret-of-32-characters',
  SAFEGOLD_BASE_URL: `${url}/safegold`,
  SAFEGOLD_TOKEN: sandboxDefaults.safegoldToken,
  SAFEGOLD_TIMEOUT_MS: '500',
  SAFEGOLD_SPOT_FIELD: 'spot_price',
  PAYMENT_GATEWAYS: 'sandbox',
  SANDBOX_GATEWAY_BASE_URL: `${url}/gateway`,
  SANDBOX_GATEWAY_KEY_ID: sandboxDefaults.gatewayKeyId,
  SANDBOX_GATEWAY_KEY_SECRET: sandboxDefaults.gatewayKeySecret,
  SANDBOX_GATEWAY_WEBHOOK_SECRETS: sandboxDefaults.gatewayWebhookSecrets.join(','),
  SANDBOX_GATEWAY_TIMEOUT_MS: '500',
  RAZORPAYX_BASE_URL: `${url}/razorpayx`,
  RAZORPAYX_KEY_ID: sandboxDefaults.razorpayxKeyId,
  RAZORPAYX_KEY_SECRET: sandboxDefaults.razorpayxKeySecret,
  RAZORPAYX_ACCOUNT_NUMBER: sandboxDefaults.razorpayxAccountNumber,
  RAZORPAYX_TIMEOUT_MS: '500',
  PAYOUT_WEBHOOK_SECRETS: sandboxDefaults.payoutWebhookSecrets.join(','),
});

/** Everything that the gates ask for. */
export const openGates = async (kit: Kit, factories: Factories): Promise<void> => {
  await factories.admin('SUPER_ADMIN');
  const evidence = { value: 'x', reference: 'x', verified: true, updatedAt: kit.clock.now() };
  for (const item of evidenceItems) {
    await createReadinessStore(kit.db).put(item, { ...evidence, updatedBy: null });
  }
  for (const name of ['DIGITAL_SELL_ENABLED', 'DIGITAL_GOLD_PAYMENT_ENABLED']) {
    writeFileSync(join(kit.settingsDir, name), 'true\n');
  }
};

/** The trade of a process that has this kit's clients. */
export const openTrade = (kit: Kit) => {
  const env = environmentOf(kit);
  return createTrade(loadConfig(tradeVariables, env), env, kit);
};
