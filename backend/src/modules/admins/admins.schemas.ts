import { z } from 'zod';
import { emailText, exampleOf, opaqueText } from '../../platform/http/index.ts';
import { factorCode, recoveryCodesView } from '../second-factor/index.ts';
import type { AdminRecord } from './admins.store.ts';
import { adminRoles } from './admins.types.ts';

export const emailSchema = emailText;

export const loginBody = z.object({
  email: emailSchema,
  password: z.string().min(1).max(256),
  code: factorCode
    .describe('A code of the authenticator app or a recovery code. Required if an app is active.')
    .optional(),
  browserToken: opaqueText(256).optional(),
});
loginBody.register(z.globalRegistry, {
  id: 'LoginRequest',
  examples: [{ email: 'operator@example.test', password: 'correct horse battery staple' }],
});

const minPasswordLength = 12;
const maxPasswordLength = 128;

/** Counts characters instead of bytes. A run of spaces counts as one. */
const passwordLength = (text: string): number => Array.from(text.replaceAll(/ {2,}/gu, ' ')).length;

/**
 * Requires 12 to 128 characters of any kind, so that a password is hard to guess. The password
 * itself is kept as it was typed (contract: limits > Sign-in limits).
 */
export const newPasswordSchema = z
  .string()
  .refine(
    (text) => passwordLength(text) >= minPasswordLength,
    `must have at least ${minPasswordLength} characters`,
  )
  .refine(
    (text) => Array.from(text).length <= maxPasswordLength,
    `must have at most ${maxPasswordLength} characters`,
  );

const adminView = z.object({
  id: z.uuid(),
  email: z.string(),
  role: z.enum(adminRoles),
});
adminView.register(z.globalRegistry, {
  id: 'Operator',
  description: 'An operator of the service.',
  examples: [
    { id: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98', email: 'operator@example.test', role: 'ADMIN' },
  ],
});

/** An operator, as others see them beside an action. */
export const operatorReference = adminView.pick({ id: true, email: true });
operatorReference.register(z.globalRegistry, {
  id: 'OperatorReference',
  description: 'The operator who took an action.',
  examples: [{ id: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98', email: 'operator@example.test' }],
});

export const loginAnswer = z.object({
  accessToken: z.string(),
  expiresIn: z.int().positive().describe('The number of seconds that the token is valid for.'),
  admin: adminView,
  browserToken: z
    .string()
    .describe(
      "Send it with this browser's next sign-in, so that failures of others don't lock it.",
    ),
  mustEnrolSecondFactor: z
    .boolean()
    .describe('True if the token can only be used to set up an authenticator app.'),
});
loginAnswer.register(z.globalRegistry, {
  id: 'Login',
  description: 'An access token and the operator it belongs to.',
  examples: [
    {
      accessToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl',
      expiresIn: 28_800,
      admin: exampleOf(adminView),
      browserToken: '4f2a9c0e7b1d83564f2a9c0e7b1d8356.Q7Rk2vXw9LmN4bTz6YpC1dHs8GfJ3aKe5UoQ0iWxVrE',
      mustEnrolSecondFactor: false,
    },
  ],
});

/** The change of the caller's own password. */
export const ownPasswordBody = z
  .object({ currentPassword: z.string().min(1).max(256), newPassword: newPasswordSchema })
  .refine(({ currentPassword, newPassword }) => currentPassword !== newPassword, {
    path: ['newPassword'],
    message: 'must differ from the current password',
  });
ownPasswordBody.register(z.globalRegistry, {
  id: 'PasswordChange',
  examples: [
    { currentPassword: 'correct horse battery staple', newPassword: 'a stable for every horse' },
  ],
});

export const adminTokenView = z.object({
  accessToken: z.string(),
  expiresIn: z.int().positive().describe('The number of seconds that the token is valid for.'),
});
adminTokenView.register(z.globalRegistry, {
  id: 'OperatorToken',
  description: 'A new access token. Every earlier token of the operator is no longer valid.',
  examples: [
    {
      accessToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl',
      expiresIn: 28_800,
    },
  ],
});

export const confirmedView = adminTokenView.extend(recoveryCodesView.shape);
confirmedView.register(z.globalRegistry, {
  id: 'OperatorSecondFactor',
  description: 'A new access token and the recovery codes. The authenticator app is now active.',
  examples: [{ ...exampleOf(adminTokenView), ...exampleOf(recoveryCodesView) }],
});

export const operatorDetail = adminView.extend({
  active: z.boolean(),
  createdAt: z.iso.datetime(),
  lastLoginAt: z.iso.datetime().nullable(),
  hasSecondFactor: z.boolean().describe('True if the operator has an authenticator app.'),
});
operatorDetail.register(z.globalRegistry, {
  id: 'OperatorDetail',
  description: 'An operator, as super admins see them.',
  examples: [
    {
      ...exampleOf(adminView),
      active: true,
      createdAt: '2026-01-15T09:30:00.000Z',
      lastLoginAt: '2026-01-16T09:30:00.000Z',
      hasSecondFactor: true,
    },
  ],
});

export const operatorsView = z.object({ items: z.array(operatorDetail) });
operatorsView.register(z.globalRegistry, {
  id: 'Operators',
  examples: [{ items: [exampleOf(operatorDetail)] }],
});

export const presentOperator = (admin: AdminRecord, hasSecondFactor: boolean) => ({
  ...presentAdmin(admin),
  active: admin.active,
  createdAt: admin.createdAt.toISOString(),
  lastLoginAt: admin.lastLoginAt?.toISOString() ?? null,
  hasSecondFactor,
});

export const tokenClaims = z.object({
  sub: z.uuid(),
  email: z.string(),
  role: z.enum(adminRoles),
  /** The time of signing, in seconds of business time since 1970. */
  iat: z.int(),
});

export const presentAdmin = ({ id, email, role }: AdminRecord) => ({ id, email, role });
