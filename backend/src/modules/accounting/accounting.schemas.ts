import { z } from 'zod';
import { opaqueText } from '../../platform/http/index.ts';
import { emailSchema } from '../admins/index.ts';
import { factorCode } from '../second-factor/index.ts';
import { permissions, portalRoles } from './permissions.ts';

export const portalLoginBody = z.object({
  email: emailSchema,
  password: z.string().min(1).max(256),
  code: factorCode
    .describe('A code of the authenticator app or a recovery code. Required if an app is active.')
    .optional(),
  browserToken: opaqueText(256).optional(),
});

export const portalUserView = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(portalRoles),
  permissions: z.array(z.enum(permissions)),
});

export const portalLoginAnswer = z.object({
  token: z.string(),
  expiresAt: z.iso.datetime(),
  user: portalUserView,
  browserToken: z
    .string()
    .describe(
      "Send it with this browser's next sign-in, so that failures of others don't lock it.",
    ),
  mustEnrolSecondFactor: z
    .boolean()
    .describe('True if the token can only be used to set up an authenticator app.'),
});

export const healthView = z.object({ status: z.literal('ok') });

interface PortalUserFields {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly permissions: readonly string[];
}

export const presentPortalUser = ({ id, email, name, role, permissions }: PortalUserFields) => ({
  id,
  email,
  name,
  role,
  permissions,
});
