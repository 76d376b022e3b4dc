import { createCi } from '../../adapters/ci/create-ci.ts';
import { createObjectStore } from '../../adapters/object-store/create-object-store.ts';
import { adminAccess, createAdmins, hasActiveSuperAdmin } from '../../modules/admins/index.ts';
import {
  createActionScopes,
  readListedActions,
  withAdminApprovals,
} from '../../modules/approvals/index.ts';
import { createAuditAdminRoutes } from '../../modules/audit/index.ts';
import { createCatalogueAdmin } from '../../modules/catalogue/index.ts';
import { createCiAdminRoutes } from '../../modules/ci/index.ts';
import { relistEndedSessions } from '../../modules/identity/index.ts';
import { createIncidentAdminRoutes } from '../../modules/incidents/index.ts';
import { createKycAdminRoutes } from '../../modules/kyc/index.ts';
import { createLegalAdminRoutes } from '../../modules/legal/index.ts';
import { createNotify } from '../../modules/notifications/index.ts';
import { createOrderTimelineAdminRoutes } from '../../modules/order-timeline/index.ts';
import { createGatewayAdminRoutes, listUsableGateways } from '../../modules/payments/index.ts';
import { createPlanAdminRoutes } from '../../modules/plans/index.ts';
import { createProofAdminRoutes } from '../../modules/proof-of-gold/index.ts';
import { createPriceAdminRoutes, findLastTick } from '../../modules/price/index.ts';
import { createProductOrderAdminRoutes } from '../../modules/product-orders/index.ts';
import {
  createReadinessAdminRoutes,
  createReadinessReport,
  checkFirstAdmin,
  checkGoldProvider,
  checkMigrations,
  checkPaymentGateways,
  checkPayoutProvider,
  checkPriceFeed,
  checkSecrets,
} from '../../modules/readiness/index.ts';
import { fromSafeBps, fromSafePaise } from '../../money/index.ts';
import { createReconciliation } from '../../modules/reconciliation/index.ts';
import { createRewardAdminRoutes } from '../../modules/referrals/index.ts';
import { createReportsAdminRoutes } from '../../modules/reports/index.ts';
import { createSupportAdminRoutes } from '../../modules/support/index.ts';
import { createTransactionAdminRoutes } from '../../modules/transactions/index.ts';
import { createUserTimelineAdminRoutes } from '../../modules/user-timeline/index.ts';
import { createUsersAdminRoutes } from '../../modules/users/index.ts';
import { createRevocationList } from '../../platform/auth/revocation-list.ts';
import type { Route } from '../../platform/http/index.ts';
import { adapterDeps, type Runtime } from '../../runtime/create-runtime.ts';
import { createServices, type Services } from '../../runtime/create-services.ts';
import {
  servicesVariables,
  apiVariables,
  approvalVariables,
  staffVariables,
  tokenVariables,
} from '../../runtime/process.variables.ts';
import { healthRoutes, type ApiDefinition } from '../../runtime/create-api-app.ts';
import { adminVariables } from './admin.variables.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { ProcessConfig } from '../../runtime/load-config.ts';
import { adminGuide } from './admin-guide.ts';

/** The admin API's variables, in addition to those of every process. */
export const adminApiVariables = {
  ...tokenVariables,
  ...apiVariables,
  ...servicesVariables,
  ...staffVariables,
  ...approvalVariables,
  ...adminVariables,
};

type AdminApiConfig = ProcessConfig & Config<typeof adminApiVariables>;

const tags = {
  health: 'Liveness.',
  auth: "Operators' sign-in, passwords and authenticator apps.",
  users: 'Customers.',
  transactions: 'Gold orders, product orders and payouts of all customers.',
  kyc: 'Review of KYC submissions.',
  orders: "Customers' gold orders and manual reviews.",
  payouts: 'Approval and retry of payouts.',
  approvals: 'Requests that need the approval of a second operator, and their decisions.',
  plans: "Customers' plans.",
  referrals: 'Approval and payment of referral rewards.',
  'product orders': "Customers' orders of jewellery.",
  'payment-gateways': 'Selection of the payment gateways.',
  products: 'The catalogue of jewellery.',
  incidents: 'Webhook events, jobs, and payments that need a decision by an operator.',
  audit: 'Actions of operators that were taken or refused.',
  readiness: 'The readiness of the service to accept money, and the evidence for it.',
  reports: 'Current figures and those of the last days.',
  reconciliation: "Comparison of the service's books with those of its collaborators.",
  'proof of gold': 'Signed statements that the gold of all customers is held.',
  legal: 'Facts and policies that customers see.',
  support: 'Support tickets.',
  config: 'Limits, feature flags and banners.',
  price: "The spread, and the provider's live price.",
  devops: 'Runs of the CI system and deployments.',
};

/** Creates the readiness report and its checks. */
const createReadiness = (
  config: AdminApiConfig,
  { database: { db }, clock, wall }: Runtime,
  services: Services,
) => {
  const { provider, gateways, payoutProvider } = services;
  return createReadinessReport({
    db,
    clock,
    checks: {
      gold_provider: checkGoldProvider(provider),
      payment_gateway: checkPaymentGateways({
        gateways,
        listUsable: () => listUsableGateways(services.paymentsDeps),
        barred: services.barredGateways,
      }),
      payout_provider: checkPayoutProvider(payoutProvider),
      price_feed: checkPriceFeed(async () => (await findLastTick(db))?.mark, wall),
      database_migrations: checkMigrations(db),
      first_admin: checkFirstAdmin(() => hasActiveSuperAdmin(db)),
      production_secrets: checkSecrets(config.APP_MODE),
    },
  });
};

/** The services that the routes of operators use, besides the runtime. */
interface RouteParts {
  readonly services: Services;
  readonly objects: ReturnType<typeof createObjectStore>;
  readonly ci: ReturnType<typeof createCi>;
}

/** Declares all routes of operators except those of their sign-in. */
const createWorkRoutes = (
  config: AdminApiConfig,
  runtime: Runtime,
  { services, objects, ci }: RouteParts,
): Route[] => {
  const { database, logger, reads, redis } = runtime;
  const { db, inTransaction } = database;
  const shared = { ...runtime, db, inTransaction };
  const { provider, gateways, payoutProvider, price } = services;
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'the revocation list cannot be written');
  const revocations = createRevocationList({ redis, onError });
  relistEndedSessions({ ...shared, revocations, onError });
  const reconciliation = createReconciliation({
    ...shared,
    gateways,
    goldProvider: provider,
    payoutProvider,
    priceToleranceBps: fromSafeBps(config.PRICE_TOLERANCE_BPS),
  });
  return [
    ...createUsersAdminRoutes({ ...shared, revocations }),
    ...createUserTimelineAdminRoutes({ db }),
    ...createTransactionAdminRoutes({ db }),
    ...createKycAdminRoutes({ ...shared, provider, objects, notify: createNotify(runtime) }),
    ...services.gold.adminRoutes,
    ...createOrderTimelineAdminRoutes({ db }),
    ...services.payouts.adminRoutes,
    ...createPlanAdminRoutes({ db, payments: services.paymentsDeps }),
    ...createRewardAdminRoutes({ ...shared, readSnapshot: reads.readSnapshot }),
    ...createProductOrderAdminRoutes({ ...shared, notify: createNotify(runtime) }),
    ...createGatewayAdminRoutes({
      ...shared,
      gateways,
      codes: services.gatewayCodes,
      barred: services.barredGateways,
    }),
    ...createAuditAdminRoutes(shared, {
      path: '/audit',
      access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    }),
    ...createCatalogueAdmin({ ...shared, objects, live: price.live }).adminRoutes,
    ...createReadinessAdminRoutes({
      ...shared,
      report: createReadiness(config, runtime, services),
    }),
    ...reconciliation.adminRoutes,
    ...createProofAdminRoutes(shared),
    ...services.settings.adminRoutes,
    ...createLegalAdminRoutes(shared),
    ...createSupportAdminRoutes({ ...shared, notify: createNotify(runtime) }),
    ...createPriceAdminRoutes({ ...shared, fetchPrice: price.fetchPrice }),
    ...createIncidentAdminRoutes({ ...shared, payments: services.paymentsDeps }),
    ...createReportsAdminRoutes({ ...shared, db: reads.db, price: price.live }),
    ...createCiAdminRoutes({ ...shared, ci }),
  ];
};

/** Builds the services of the admin API and declares its routes. Nothing is served yet. */
export const createAdminApi = (config: AdminApiConfig, env: Environment, own: Runtime) => {
  const { db, inTransaction } = own.database;
  // Actions that may need an approval use the transactions of the scopes, which decide on it.
  const scopes = createActionScopes({ inTransaction, audit: own.audit });
  const database = { ...own.database, inTransaction: scopes.inTransaction };
  const runtime: Runtime = { ...own, database, audit: scopes.audit };
  const services = createServices(config, env, runtime, { receivesWebhooks: false });
  const ci = createCi(env, adapterDeps(runtime));
  const objects = createObjectStore(env, adapterDeps(runtime));
  const admins = createAdmins({
    ...own,
    db,
    inTransaction,
    tokenTtlSeconds: config.ADMIN_TOKEN_TTL_SECONDS,
    secondFactorRequired: config.SECOND_FACTOR_REQUIRED,
  });
  const definition: ApiDefinition = {
    name: 'admin',
    title: 'Digital Gold admin API',
    description: adminGuide,
    prefix: '/v1',
    tags,
    limitPerMinute: 60,
    docs: true,
    guard: admins.guard,
    routes: [
      ...healthRoutes,
      ...admins.adminRoutes,
      ...withAdminApprovals(
        { ...own, db, inTransaction, scopes, lifetimeHours: config.APPROVAL_HOURS },
        {
          routes: createWorkRoutes(config, runtime, { services, objects, ci }),
          actions: readListedActions(config.SECOND_OPERATOR_ACTIONS),
          payoutsAbovePaise: fromSafePaise(config.SECOND_OPERATOR_PAYOUT_PAISE),
        },
      ),
    ],
  };
  return { definition, services, ci, objects };
};
