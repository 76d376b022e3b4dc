import { ConfigError, isProduction, parseConfig } from '../../platform/config/config.ts';
import {
  createLogger,
  logFailedStart,
  redirectConsole,
} from '../../platform/observability/index.ts';
import { sandboxVariables } from './sandbox.variables.ts';
import { startSandbox, type Sandbox } from './start-sandbox.ts';

const readConfig = () => {
  if (isProduction(process.env)) {
    throw new ConfigError('APP_MODE: the sandbox does not run in production');
  }
  return parseConfig(sandboxVariables, process.env);
};

const fail = (error: unknown): never => {
  logFailedStart('sandbox', error);
  process.exit(1);
};

const start = async (): Promise<{ sandbox: Sandbox; stopped: (signal: string) => void }> => {
  const config = readConfig();
  const logger = createLogger({ level: config.LOG_LEVEL, name: 'sandbox' });
  redirectConsole(logger);
  const sandbox = await startSandbox({
    port: config.PORT,
    host: config.SANDBOX_HOST,
    customerBaseUrl: config.CUSTOMER_BASE_URL,
    safegoldToken: config.SAFEGOLD_TOKEN,
    gatewayKeyId: config.SANDBOX_GATEWAY_KEY_ID,
    gatewayKeySecret: config.SANDBOX_GATEWAY_KEY_SECRET,
    gatewayWebhookSecrets: config.SANDBOX_GATEWAY_WEBHOOK_SECRETS,
    cashfreeClientId: config.CASHFREE_CLIENT_ID,
    cashfreeClientSecret: config.CASHFREE_CLIENT_SECRET,
    cashfreeWebhookSecrets: config.CASHFREE_WEBHOOK_SECRETS,
    razorpayKeyId: config.RAZORPAY_KEY_ID,
    razorpayKeySecret: config.RAZORPAY_KEY_SECRET,
    razorpayWebhookSecrets: config.RAZORPAY_WEBHOOK_SECRETS,
    msg91AuthKey: config.MSG91_AUTH_KEY,
    razorpayxKeyId: config.RAZORPAYX_KEY_ID,
    razorpayxKeySecret: config.RAZORPAYX_KEY_SECRET,
    razorpayxAccountNumber: config.RAZORPAYX_ACCOUNT_NUMBER,
    payoutWebhookSecrets: config.PAYOUT_WEBHOOK_SECRETS,
    awsKmsAccessKeyId: config.AWS_KMS_ACCESS_KEY_ID,
    vaultToken: config.VAULT_TOKEN,
    githubToken: config.GITHUB_TOKEN,
    settleMs: config.SANDBOX_SETTLE_MS,
    stateDir: config.SANDBOX_STATE_DIR,
    enforcesKycLimits: config.SANDBOX_KYC_LIMITS,
    logger,
  });
  logger.info({ url: sandbox.url }, 'the sandbox is ready');
  return { sandbox, stopped: (signal) => logger.info({ signal }, 'the sandbox has stopped') };
};

try {
  const { sandbox, stopped } = await start();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      sandbox.stop().then(() => {
        stopped(signal);
        process.exit(0);
      }, fail);
    });
  }
} catch (error) {
  fail(error);
}
