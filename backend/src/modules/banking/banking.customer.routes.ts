import { created, defineRoute, idParams, noContent, ok } from '../../platform/http/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import {
  accountsQuery,
  addAccountBody,
  bankAccountPage,
  bankAccountView,
} from './banking.schemas.ts';
import type { BankingDeps } from './banking.types.ts';
import {
  addAccount,
  choosePrimaryAccount,
  listAccounts,
  removeAccount,
  verifyAccountAgain,
} from './manage-accounts.ts';

const shared = { tags: ['bank accounts'], access: customerAccess } as const;

/** Declares the bank account routes (contract: payouts > Bank account routes). */
export const createBankingCustomerRoutes = (deps: BankingDeps): Route[] => [
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/bank-accounts',
    summary: "The caller's bank accounts, newest first",
    query: accountsQuery,
    responses: { 200: bankAccountPage },
    handler: async ({ principal, query }) => ok(await listAccounts(deps, principal.userId, query)),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/bank-accounts',
    summary: 'Add a bank account and verify it by a penny-drop',
    body: addAccountBody,
    responses: { 201: bankAccountView },
    errors: ['BANK_ACCOUNT_LIMIT', 'VALIDATION_LIMIT', 'BANK_ACCOUNT_DUPLICATE'],
    handler: async ({ principal: { userId }, body, context: { ip } }) =>
      created(await addAccount(deps, { userId, ip }, body)),
  }),
  defineRoute({
    ...shared,
    method: 'PATCH',
    path: '/bank-accounts/:id/primary',
    summary: 'Make a verified bank account the primary account',
    params: idParams,
    responses: { 200: bankAccountView },
    errors: ['NOT_FOUND', 'BANK_ACCOUNT_NOT_VERIFIED'],
    handler: async ({ principal, params }) =>
      ok(await choosePrimaryAccount(deps, principal.userId, params.id)),
  }),
  defineRoute({
    ...shared,
    method: 'DELETE',
    path: '/bank-accounts/:id',
    summary: 'Delete a bank account, unless a payout to it is in progress',
    params: idParams,
    responses: { 204: null },
    errors: ['NOT_FOUND', 'BANK_ACCOUNT_IN_USE'],
    handler: async ({ principal: { userId }, params, context: { ip } }) => {
      await removeAccount(deps, { userId, ip }, params.id);
      return noContent();
    },
  }),
  defineRoute({
    ...shared,
    method: 'PATCH',
    path: '/bank-accounts/:id/verify',
    summary: 'Retry the verification of a bank account, or query the validation in progress',
    params: idParams,
    responses: { 200: bankAccountView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'VALIDATION_LIMIT'],
    handler: async ({ principal, params }) =>
      ok(await verifyAccountAgain(deps, principal.userId, params.id)),
  }),
];
