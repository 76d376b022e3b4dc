import { z } from 'zod';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { customerAccess, sendCode, sendOtpAnswer, tokenSubjectAccess } from '../identity/index.ts';
import { recordSecurityEvent } from '../security-events/index.ts';
import type { AccountDeletionDeps } from './account-deletion.types.ts';
import { deleteAccount } from './delete-account.ts';

const confirmDeletionBody = z.object({
  otp: z.string('must be text').regex(/^\d{6}$/u, 'must be 6 digits'),
  confirmation: z.literal('DELETE', 'must be DELETE'),
  forfeitGold: z.boolean('must be true or false').optional(),
});
confirmDeletionBody.register(z.globalRegistry, {
  id: 'ConfirmDeletionRequest',
  examples: [{ otp: '482913', confirmation: 'DELETE' }],
});

const deletedAnswer = z.object({
  status: z.literal('deleted'),
  deletedAt: z.iso.datetime(),
});
deletedAnswer.register(z.globalRegistry, {
  id: 'DeletedAccount',
  description: 'The account is deleted.',
  examples: [{ status: 'deleted', deletedAt: '2026-01-15T09:30:00.000Z' }],
});

const deletionStatus = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  deletedAnswer,
]);
deletionStatus.register(z.globalRegistry, {
  id: 'DeletionStatus',
  description: 'The state of the account that the token belongs to.',
  examples: [{ status: 'none' }, { status: 'deleted', deletedAt: '2026-01-15T09:30:00.000Z' }],
});

const tags = ['users'];

const presentDeleted = (at: Date) => ({ status: 'deleted' as const, deletedAt: at.toISOString() });

/** Declares `/users/me/deletion` of the customer API. */
export const createAccountDeletionCustomerRoutes = (deps: AccountDeletionDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/users/me/deletion/request',
    summary: "Send the code that confirms the deletion of the account to the caller's phone",
    tags,
    access: customerAccess,
    responses: { 200: sendOtpAnswer },
    errors: ['OTP_SEND_LIMIT', 'SMS_UNAVAILABLE'],
    handler: async ({ principal: { userId, phone }, context: { ip } }) => {
      const sent = await sendCode(deps, { phone, purpose: 'deletion', ip });
      await recordSecurityEvent(deps.db, deps, { userId, kind: 'deletion_requested', ip });
      return ok({ sent: true, ...sent });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/users/me/deletion/confirm',
    summary: 'Permanently delete the account',
    tags,
    access: customerAccess,
    body: confirmDeletionBody,
    responses: { 200: deletedAnswer },
    errors: ['INVALID_OTP', 'OTP_LOCKED', 'ACCOUNT_BUSY', 'HOLDING_NOT_EMPTY', 'PRICE_UNAVAILABLE'],
    handler: async ({ body: { otp, forfeitGold = false }, principal, context: { ip } }) =>
      ok(presentDeleted(await deleteAccount(deps, principal, { otp, forfeitGold, ip }))),
  }),
  defineRoute({
    method: 'GET',
    path: '/users/me/deletion/status',
    summary: 'The state of the account. The unexpired token of a deleted account is also accepted',
    tags,
    access: tokenSubjectAccess,
    responses: { 200: deletionStatus },
    handler: async ({ principal: { deletedAt } }) =>
      ok(deletedAt === undefined ? { status: 'none' as const } : presentDeleted(deletedAt)),
  }),
];
