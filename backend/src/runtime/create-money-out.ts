import { createPayoutProvider } from '../adapters/payout-provider/create-payout-provider.ts';
import { createBanking } from '../modules/banking/index.ts';
import { hasOpenSell } from '../modules/orders/index.ts';
import { findUser } from '../modules/identity/index.ts';
import type { Notify } from '../modules/notifications/index.ts';
import { createPayouts, hasPayoutInFlight } from '../modules/payouts/index.ts';
import type { Environment } from '../platform/config/config.ts';
import type { Db } from '../platform/db/index.ts';
import { adapterDeps } from './adapter-deps.ts';
import type { Runtime } from './create-runtime.ts';

const findBankCustomer = async (client: Db, userId: string) => {
  const user = await findUser(client, userId);
  if (user === undefined || user.phone === null) return undefined;
  const { phone, email, fullName } = user;
  return {
    phone,
    ...(email !== null && { email }),
    ...(fullName !== null && { name: fullName }),
  };
};

/** The way out of gold: bank accounts and payouts, with the provider of both. */
export const createMoneyOut = (env: Environment, runtime: Runtime, notify: Notify) => {
  const { db, inTransaction } = runtime.database;
  const provider = createPayoutProvider(env, adapterDeps(runtime));
  const shared = { ...runtime, db, inTransaction, provider, notify };
  const banking = createBanking({
    ...shared,
    findCustomer: findBankCustomer,
    isAccountInUse: async (client, bankAccountId) =>
      (await hasOpenSell(client, bankAccountId)) || hasPayoutInFlight(client, bankAccountId),
  });
  const payouts = createPayouts({ ...shared, banking });
  return { provider, banking, payouts };
};
