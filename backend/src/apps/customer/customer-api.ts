import { createSmsGateway } from '../../adapters/sms/create-sms-gateway.ts';
import type { SmsGateway } from '../../adapters/sms/port.ts';
import { isSigned } from '../../adapters/webhook-signature.ts';
import { createObjectStore } from '../../adapters/object-store/create-object-store.ts';
import type { ObjectStore } from '../../adapters/object-store/port.ts';
import { createAccountDeletionCustomerRoutes } from '../../modules/account-deletion/index.ts';
import { createClientConfigCustomerRoutes } from '../../modules/client-config/index.ts';
import { createCatalogue } from '../../modules/catalogue/index.ts';
import { insertHolding, createHoldingCustomerRoutes } from '../../modules/holdings/index.ts';
import {
  createCodeMetrics,
  createIdentity,
  customerAccess,
  relistEndedSessions,
} from '../../modules/identity/index.ts';
import { createKyc, findKycStatus } from '../../modules/kyc/index.ts';
import { createProofCustomerRoutes } from '../../modules/proof-of-gold/index.ts';
import {
  createNotificationCustomerRoutes,
  createNotify,
} from '../../modules/notifications/index.ts';
import { createReadinessCustomerRoutes } from '../../modules/readiness/index.ts';
import { createLegalCustomerRoutes } from '../../modules/legal/index.ts';
import { createProductOrderCustomerRoutes } from '../../modules/product-orders/index.ts';
import { createReferralCustomerRoutes } from '../../modules/referrals/index.ts';
import { createSupportCustomerRoutes } from '../../modules/support/index.ts';
import { createTransactionCustomerRoutes } from '../../modules/transactions/index.ts';
import { createRevocationList } from '../../platform/auth/revocation-list.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { adapterDeps, type Runtime } from '../../runtime/create-runtime.ts';
import { healthRoutes, type ApiDefinition } from '../../runtime/create-api-app.ts';
import { createServices, type Services } from '../../runtime/create-services.ts';
import type { ProcessConfig } from '../../runtime/load-config.ts';
import {
  apiVariables,
  tokenVariables,
  servicesVariables,
} from '../../runtime/process.variables.ts';
import { customerGuide } from './customer-guide.ts';
import { customerVariables } from './customer.variables.ts';

/** The customer API's variables, in addition to those of every process. */
export const customerApiVariables = {
  ...tokenVariables,
  ...apiVariables,
  ...servicesVariables,
  ...customerVariables,
};

type CustomerApiConfig = ProcessConfig & Config<typeof customerApiVariables>;

const tags = {
  health: 'Liveness.',
  auth: 'Sign-in with a one-time code, tokens and sessions.',
  users: "The customer's own profile, push tokens, and the deletion of the account.",
  kyc: 'Identity documents and their review.',
  price: 'The live price of gold and its history.',
  gold: 'Quotes, buy orders and sell orders.',
  plans: 'Plans that buy gold in installments.',
  payments: 'Payment orders and checkout verification.',
  webhooks: 'Signed events of payment gateways and the payout provider.',
  'bank accounts': 'Accounts that the proceeds of sales are paid to.',
  payouts: 'Transfers of proceeds to bank accounts.',
  products: 'The catalogue of jewellery.',
  'product orders': 'Orders of jewellery, paid on delivery.',
  portfolio: 'Gold held, its value, and its history.',
  transactions: 'Gold orders, product orders and payouts in one feed.',
  referrals: 'Referral codes and their rewards.',
  notifications: 'Messages to the customer.',
  support: 'Support tickets. No sign-in needed.',
  legal: 'Verified facts and policies. No sign-in needed.',
  public: 'Availability of buying and selling, banners, proof of gold. No sign-in needed.',
};

interface AccountOptions {
  readonly config: CustomerApiConfig;
  readonly runtime: Runtime;
  readonly sms: SmsGateway;
  readonly objects: ObjectStore;
  readonly services: Services;
}

/** Creates sign-in, the profile, account deletion and KYC. */
const createAccountServices = ({ config, runtime, sms, objects, services }: AccountOptions) => {
  const { database, redis, logger, clock, metrics } = runtime;
  const shared = { ...runtime, db: database.db, inTransaction: database.inTransaction };
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'the revocation list cannot be read');
  const revocations = createRevocationList({ redis, onError });
  relistEndedSessions({ ...shared, revocations, onError });
  const signIn = {
    ...shared,
    sms,
    revocations,
    credentialPepper: config.CREDENTIAL_PEPPER,
    sendLimits: {
      perAddressHour: config.OTP_SENDS_PER_ADDRESS_HOUR,
      perNetworkHour: config.OTP_SENDS_PER_NETWORK_HOUR,
      perMinute: config.SMS_PER_MINUTE,
      customerSharePercent: config.SMS_CUSTOMER_SHARE_PERCENT,
    },
    codeMetrics: createCodeMetrics(metrics.registry),
    signInRules: {
      refusalsPerAddressHour: config.SIGN_IN_REFUSALS_PER_ADDRESS_HOUR,
      trustedDevicesOnly: config.MPIN_TRUSTED_DEVICES_ONLY,
      sessionsPerCustomer: config.SESSIONS_PER_CUSTOMER,
      refusesCommonMpins: config.MPIN_REFUSE_COMMON ?? config.APP_MODE === 'production',
    },
  };
  const identity = createIdentity({
    ...signIn,
    onUserCreated: (tx, userId) => insertHolding(tx, userId, clock.now()),
    findKycStatus,
    notify: createNotify(runtime),
  });
  const accountDeletionRoutes = createAccountDeletionCustomerRoutes({
    ...signIn,
    price: services.price.live,
    provider: services.provider,
    portfolios: services.portfolios,
    coolDownDays: config.DELETED_PHONE_COOLDOWN_DAYS,
  });
  const kyc = createKyc({
    requiresDateOfBirth: config.KYC_REQUIRES_DATE_OF_BIRTH,
    ...shared,
    objects,
    isSignedBody: (message, signature) =>
      isSigned({ message, signature, encoding: 'hex', secrets: config.KYC_WEBHOOK_SECRETS }),
  });
  return {
    identity,
    routes: [
      ...identity.customerRoutes,
      ...accountDeletionRoutes,
      ...kyc.customerRoutes,
      ...kyc.webhookRoutes,
    ],
  };
};

/** Builds the services of the customer API and declares its routes. Nothing is served yet. */
export const createCustomerApi = (
  config: CustomerApiConfig,
  env: Environment,
  runtime: Runtime,
) => {
  const { clock, database } = runtime;
  const { db, inTransaction } = database;
  const shared = { ...runtime, db, inTransaction };
  const sms = createSmsGateway(env, adapterDeps(runtime));
  const objects = createObjectStore(env, adapterDeps(runtime));
  const services = createServices(config, env, runtime, { receivesWebhooks: true });
  const { price } = services;
  const account = createAccountServices({ config, runtime, sms, objects, services });
  const { identity } = account;

  const definition: ApiDefinition = {
    name: 'customer',
    title: 'Digital Gold customer API',
    description: customerGuide,
    prefix: '/v1',
    tags,
    limitPerMinute: 100,
    docs: true,
    guard: identity.customerGuard,
    routes: [
      ...healthRoutes,
      ...account.routes,
      ...price.customerRoutes,
      ...services.gold.customerRoutes,
      ...services.plans.customerRoutes,
      ...services.payments.customerRoutes,
      ...services.banking.customerRoutes,
      ...services.payouts.customerRoutes,
      ...services.payouts.webhookRoutes,
      ...createHoldingCustomerRoutes({ db, portfolios: services.portfolios, price: price.live }),
      ...createProofCustomerRoutes({ db }),
      ...createCatalogue({ ...shared, objects, live: price.live }).customerRoutes,
      ...createProductOrderCustomerRoutes({
        ...shared,
        notify: createNotify(runtime),
        price: price.live,
        limits: services.limits,
        invoiceBound: services.invoiceBound,
        maxOpenDeliveries: config.OPEN_DELIVERIES_PER_CUSTOMER,
      }),
      ...createTransactionCustomerRoutes({ db }),
      ...createSupportCustomerRoutes({
        ...shared,
        identify: identity.identify,
        contactDays: config.TICKET_ANSWER_DAYS,
      }),
      ...createLegalCustomerRoutes({ db, clock }),
      ...createReferralCustomerRoutes(shared),
      ...createNotificationCustomerRoutes({ db, clock, access: customerAccess }),
      ...services.settings.customerRoutes,
      ...createClientConfigCustomerRoutes({
        ...services,
        ...shared,
        identify: identity.identify,
        minimumAppVersion: config.MINIMUM_APP_VERSION,
      }),
      ...createReadinessCustomerRoutes({
        gates: services.gates,
        hasUsableGateway: services.hasUsableGateway,
      }),
    ],
  };
  return { definition, identity, sms, objects, services };
};
