import {
  apiVariables,
  approvalVariables,
  staffVariables,
} from '../../runtime/process.variables.ts';
import { createAccounting, portalRead } from '../../modules/accounting/index.ts';
import {
  createActionScopes,
  readListedActions,
  withAccountingApprovals,
} from '../../modules/approvals/index.ts';
import { createProofAccountingRoutes } from '../../modules/proof-of-gold/index.ts';
import {
  createExportRegister,
  createRegisterAccountingRoutes,
} from '../../modules/registers/index.ts';
import type { Config } from '../../platform/config/config.ts';
import type { ApiDefinition } from '../../runtime/create-api-app.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';

/**
 * The accounting API's variables, in addition to those of every process. It does not get the secrets
 * with which the customer and admin APIs sign their tokens.
 */
export const accountingVariables = {
  ...apiVariables,
  ...staffVariables,
  ...approvalVariables,
};

const tags = {
  health: 'Liveness.',
  auth: 'Signing in and out, passwords and authenticator apps.',
  registers: 'Purchases, sales, holdings, payments and payouts, with their totals and files.',
  statutory: 'Parameters of taxes and duties, each with the day from which it applies.',
  policy: 'Decisions on tax and accounting questions.',
  ledger: 'The ledger, which has no entries: nothing is posted to it.',
  approvals: 'Requests that need the approval of a second portal user, and their decisions.',
  reconciliation: 'Daily totals at the gold provider, and their sign-off.',
  'month-end': 'Closed months and their totals.',
  audit: 'Actions that were taken or refused.',
  'portal-users': 'Users of the portal, their roles and permissions.',
};

/**
 * Declares the routes of the accounting API. `flush` writes the counted refusals of the rate limit.
 */
export const createAccountingApi = (
  config: Config<typeof staffVariables & typeof approvalVariables>,
  runtime: Runtime,
): ApiDefinition & { readonly flush: () => Promise<void> } => {
  const { db, inTransaction, readSnapshot } = runtime.database;
  // An approved action and its decision share a transaction, which the handlers use through these.
  const scopes = createActionScopes({ inTransaction, audit: runtime.audit });
  const shared = {
    ...runtime,
    db,
    readSnapshot,
    inTransaction: scopes.inTransaction,
    audit: scopes.audit,
  };
  // `reads` may come from a standby that is some seconds behind, so only registers and their files use
  // it. Signed-off days and closed months need the newest state, from the primary.
  const { reads } = runtime;
  const exportRegister = createExportRegister({ ...shared, readSnapshot: reads.readSnapshot });
  const accounting = createAccounting({
    ...shared,
    exportRegister,
    secondFactorRequired: config.SECOND_FACTOR_REQUIRED,
  });
  const registers = createRegisterAccountingRoutes({
    ...shared,
    inTransaction: reads.inTransaction,
    exportRegister,
    access: portalRead,
  });
  const proofs = createProofAccountingRoutes({
    ...shared,
    access: { read: portalRead('gold.reconciliation.read'), file: portalRead('gold.export') },
  });
  return {
    name: 'accounting',
    title: 'Digital Gold accounting API',
    description: 'Registers for accounting, tax and audit staff.',
    prefix: '/api/v1/accounting',
    tags,
    limitPerMinute: 120,
    docs: false,
    guard: accounting.guard,
    onLimited: accounting.rateLimited.record,
    routes: withAccountingApprovals(
      { ...runtime, db, inTransaction, scopes, lifetimeHours: config.APPROVAL_HOURS },
      {
        routes: [...accounting.routes, ...registers, ...proofs],
        actions: readListedActions(config.SECOND_OPERATOR_ACTIONS),
      },
    ),
    flush: accounting.rateLimited.flush,
  };
};
