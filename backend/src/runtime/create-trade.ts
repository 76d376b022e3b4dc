import { createGoldProvider } from '../adapters/gold-provider/create-gold-provider.ts';
import { createPaymentGateways } from '../adapters/payment-gateway/create-payment-gateways.ts';
import { gstRateBpsOn } from '../modules/accounting/index.ts';
import { hasActiveSuperAdmin } from '../modules/admins/index.ts';
import { createGold } from './create-gold.ts';
import { findUser } from '../modules/identity/index.ts';
import { requireApprovedKyc } from '../modules/kyc/index.ts';
import { policyVersionInForce } from '../modules/legal/index.ts';
import { createNotify } from '../modules/notifications/index.ts';
import { createOrders } from '../modules/orders/index.ts';
import { createPaymentMetrics, createPayments } from '../modules/payments/index.ts';
import { createPrice } from '../modules/price/index.ts';
import {
  createGates,
  checkFirstAdmin,
  checkMigrations,
  checkSecrets,
  cachePassing,
} from '../modules/readiness/index.ts';
import { createSettings } from '../modules/settings/index.ts';
import type { Config, Environment } from '../platform/config/config.ts';
import { isAppError } from '../platform/errors/app-error.ts';
import { createIdempotency } from '../platform/idempotency/index.ts';
import { adapterDeps } from './adapter-deps.ts';
import { createMoneyOut } from './create-money-out.ts';
import type { Runtime } from './create-runtime.ts';
import type { ProcessConfig } from './load-config.ts';
import type { tradeVariables } from './trade.variables.ts';

/** Caches a passing check of what only operators change for this long, in real time. */
const checkLifetimeMs = 10_000;

const createTradeGates = ({ database, switches, wall }: Runtime, config: ProcessConfig) => {
  const { db } = database;
  const checks = [
    checkMigrations(db),
    checkFirstAdmin(() => hasActiveSuperAdmin(db)),
    checkSecrets(config.APP_MODE),
  ];
  const blockingChecks = checks.map((check) => cachePassing(check, checkLifetimeMs, wall));
  return createGates({ db, switches, blockingChecks });
};

/**
 * Gold, payments, payouts and the price with their collaborators: what every process that deals in
 * gold has.
 */
export const createTrade = (
  config: ProcessConfig & Config<typeof tradeVariables>,
  env: Environment,
  runtime: Runtime,
) => {
  const { database, random, metrics, timers } = runtime;
  const { db, inTransaction } = database;
  const shared = { ...runtime, db, inTransaction };
  const provider = createGoldProvider(env, adapterDeps(runtime));
  const gateways = createPaymentGateways(env, adapterDeps(runtime));
  const price = createPrice({ ...shared, provider });
  const gates = createTradeGates(runtime, config);
  const notify = createNotify(runtime);
  const orders = createOrders({ ...shared, notify });
  const moneyOut = createMoneyOut(env, runtime, notify);

  const payments = createPayments({
    ...shared,
    gateways,
    orders,
    metrics: createPaymentMetrics(metrics.registry),
    findCustomer: async (client, userId) => {
      const user = await findUser(client, userId);
      if (user === undefined || user.phone === null) return undefined;
      const { id, phone, email, fullName } = user;
      return {
        id,
        phone,
        ...(email !== null && { email }),
        ...(fullName !== null && { name: fullName }),
      };
    },
  });
  const gold = createGold({
    ...shared,
    orders,
    provider,
    price: price.live,
    limits: createSettings(shared).limits,
    requireApprovedKyc,
    findUser,
    gstRateBpsOn,
    payments,
    idempotency: createIdempotency({ db, random, timers }),
    gates,
    termsVersionOn: (client, at) => policyVersionInForce(client, 'terms', at),
    notify,
    allocationRetrySeconds: config.ALLOCATION_RETRY_SECONDS,
  });

  return {
    provider,
    gateways,
    price,
    gates,
    payments,
    payouts: moneyOut.payouts,
    banking: moneyOut.banking,
    payoutProvider: moneyOut.provider,
    gold,
    hasUsableGateway: async (): Promise<boolean> => {
      try {
        await payments.chooseGateway();
        return true;
      } catch (error) {
        if (isAppError(error, 'NO_USABLE_GATEWAY')) return false;
        throw error;
      }
    },
    async close(): Promise<void> {
      await provider.close();
      await moneyOut.provider.close();
      for (const gateway of gateways.values()) await gateway.close();
    },
  };
};
