import { createHmac } from 'node:crypto';
import type { PayoutProvider } from '../../src/adapters/payout-provider/port.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { createAdmins, type AdminRole } from '../../src/modules/admins/index.ts';
import { sealRegisteredName } from '../../src/modules/banking/bank-account-sealing.ts';
import { noHolds, type PayoutHolds } from '../../src/modules/payouts/index.ts';
import type { Services } from '../../src/runtime/create-services.ts';
import { bearerCaller, createCaller, type Answer, type Caller } from './caller.ts';
import { createConfirmedSales, type ConfirmedSales } from './confirmed-sales.ts';
import { eventually } from './eventually.ts';
import { createFactories, type Factories } from './factories.ts';
import { idGuard } from './id-guard.ts';
import { lapseLeases } from './lapse-leases.ts';
import { openTestSystem, type JournalEntry, type TestSystem } from './open-test-system.ts';
import { asReplica, openServices } from './open-services.ts';
import { runQueuedJobs } from './run-queued-jobs.ts';
import { runSweeps } from './run-sweeps.ts';

/** The modules of a process. Two of them are two replicas. */
type Replica = Pick<Services, 'banking' | 'payouts'>;

type Wrap = (provider: PayoutProvider) => PayoutProvider;

/** Bank accounts and payouts behind their routes, with the real adapter, the sandbox and sales. */
export interface OpenPayouts extends Replica {
  readonly system: TestSystem;
  readonly factories: Factories;
  readonly provider: PayoutProvider;
  readonly sales: ConfirmedSales;
  /** Puts a sale into a state that no payout fits, and returns what restores it. */
  breakSale(orderId: string): Promise<() => Promise<void>>;
  /** Ends every lease and every sale's lock: whoever held them was killed. */
  lapseLeases(): Promise<void>;
  /** Another process, with another provider and other clients if they are given. */
  replica(wrap?: Wrap, clients?: Partial<TestSystem>): Replica;
  customer(): Promise<{ readonly userId: string; readonly call: Caller }>;
  operator(role?: AdminRole): Promise<{ readonly adminId: string; readonly call: Caller }>;
  /** A verified account. By its number payouts to it stay open. */
  account(userId: string, number?: string, bank?: BankNames): Promise<string>;
  /** A confirmed sale and its payout. */
  payout(amountPaise?: bigint, accountNumber?: string): Promise<MadePayout>;
  /** Runs what is queued, with the jobs of this replica. Returns what was thrown. */
  drain(replica?: Replica): Promise<readonly unknown[]>;
  /** Runs a pass of all sweeps, or of the named sweep. */
  runSweeps(name?: string, replica?: Replica): Promise<void>;
  /** Posts a webhook body, rightly signed unless headers are given. */
  deliver(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The next calls of the provider's operation go wrong. */
  fault(operation: string, fault: string, more?: object): Promise<void>;
  /** The calls that the provider received, oldest first. */
  journal(operation: string): Promise<readonly JournalEntry[]>;
  close(): Promise<void>;
}

/** The name that the bank has for an account, and the provider's score of it. */
interface BankNames {
  readonly registeredName: string | undefined;
  readonly nameMatchScore: number;
}

interface MadePayout {
  readonly userId: string;
  readonly call: Caller;
  readonly bankAccountId: string;
  readonly orderId: string;
  readonly payoutId: string;
  /** Of the first attempt. */
  readonly key: string;
}

/** The signature of a webhook's body. */
export const signatureOf = (body: string): string =>
  createHmac('sha256', sandboxDefaults.payoutWebhookSecrets[0] ?? '')
    .update(body)
    .digest('hex');

export interface OpenPayoutsOptions {
  /** Replaces the configured limits. Tests change them while the process runs. */
  readonly holds?: PayoutHolds;
}

/** Opens it. Webhooks of the sandbox find their way. */
export const openPayouts = async ({ holds }: OpenPayoutsOptions = {}): Promise<OpenPayouts> => {
  const system = await openTestSystem();
  const { db, sandbox } = system;
  const factories = createFactories(system);
  const sales = createConfirmedSales({ ...system, payoutHolds: holds ?? noHolds });

  const openReplica = (wrap?: Wrap, clients: Partial<TestSystem> = {}): Services => {
    return openServices(
      { ...system, ...clients },
      {
        ...(wrap !== undefined && { payoutProvider: wrap }),
        ...(holds !== undefined && { payoutHolds: () => holds }),
      },
    );
  };
  const own = openReplica();
  const url = await system.serve({
    prefix: '/v1',
    routes: [
      ...own.banking.customerRoutes,
      ...own.payouts.customerRoutes,
      ...own.payouts.webhookRoutes,
    ],
    guard: idGuard,
  });
  const adminUrl = await system.serve({
    prefix: '/v1',
    routes: own.payouts.adminRoutes,
    guard: createAdmins({ ...system, tokenTtlSeconds: 3600 }).guard,
  });
  sandbox.sandbox.setCustomerBaseUrl(url.slice(0, -'/v1'.length));

  const drain = (by: Replica = own) =>
    runQueuedJobs(system, { ...by.banking.jobs, ...by.payouts.jobs });
  const customer = async () => {
    const { userId } = await factories.customer();
    return { userId, call: bearerCaller(url, userId) };
  };
  /**
   * Ends the validation at the provider, so that no webhook of it comes later, when a test may have
   * given the account another status: the provider ends one by itself after half a second.
   */
  const endValidation = async (id: string): Promise<void> => {
    await sandbox.control('POST', `/validations/${id}`, { outcome: 'active', deliver: 'none' });
    await eventually(async () => {
      const { body } = await sandbox.control('GET', '/webhooks');
      const deliveries = body['deliveries'] as { subject: string; state: string }[]; // its view
      return deliveries.every(({ subject, state }) => subject !== id || state !== 'waiting');
    });
  };
  /** Writes what a validation said of the holder, whichever validation was applied first. */
  const nameAccount = async (userId: string, id: string, bank: BankNames): Promise<void> => {
    const { registeredName, nameMatchScore } = bank;
    const sealer = await system.vault.forUser(db, userId);
    const registeredNameSealed =
      registeredName === undefined ? null : sealRegisteredName(sealer, registeredName, id);
    await db.bankAccount.update({ where: { id }, data: { registeredNameSealed, nameMatchScore } });
  };
  const account = async (userId: string, number?: string, bank?: BankNames): Promise<string> => {
    const accountNumber = number ?? `${system.random.digits(8)}9999`;
    const added = await bearerCaller(url, userId)('POST', '/bank-accounts', {
      accountNumber,
      ifsc: 'HDFC0000053',
      holderName: 'Asha Rao',
    });
    if (added.status !== 201) throw new Error(`no account: ${JSON.stringify(added.body)}`);
    const id = String(added.body['id']);
    await drain();
    const row = await db.bankAccount.findUniqueOrThrow({ where: { id } });
    if (row.providerValidationId === null) throw new Error('the validation was not started');
    await endValidation(id);
    await own.banking.applyValidation(db, {
      validationId: row.providerValidationId,
      status: 'VALID',
      providerStatus: 'completed',
      registeredName: 'ASHA RAO',
    });
    if (bank !== undefined) await nameAccount(userId, id, bank);
    return id;
  };

  return {
    banking: own.banking,
    payouts: own.payouts,
    system,
    factories,
    provider: own.payoutProvider,
    sales,
    async breakSale(id) {
      await db.goldOrder.update({ where: { id }, data: { status: 'VERIFIED' } });
      return async () => {
        await db.goldOrder.update({ where: { id }, data: { status: 'CONFIRMED' } });
      };
    },
    lapseLeases: () => lapseLeases(db, system.redis),
    replica: (wrap, clients) => openReplica(wrap, asReplica(clients)),
    customer,
    account,
    drain,
    async operator(role = 'SUPER_ADMIN') {
      const { adminId, token } = await factories.admin(role);
      return { adminId, call: bearerCaller(adminUrl, token) };
    },
    async payout(amountPaise = 123_456n, accountNumber?: string) {
      const { userId, call } = await customer();
      const bankAccountId = await account(userId, accountNumber);
      const made = await sales.place({ userId, bankAccountId, amountPaise });
      const key = `${made.payoutId.replaceAll('-', '')}-1`;
      return { userId, call, bankAccountId, ...made, key };
    },
    runSweeps: (name, by = own) => runSweeps([...by.banking.sweeps, ...by.payouts.sweeps], name),
    async deliver(body, headers) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const signed = headers ?? { 'x-gateway-signature': signatureOf(text) };
      return createCaller(url, signed)('POST', '/webhooks/payout', text);
    },
    fault: (operation, fault, more) => system.fault('razorpayx', operation, fault, more),
    journal: (operation) => system.journal('razorpayx', operation),
    close: () => system.close(),
  };
};
