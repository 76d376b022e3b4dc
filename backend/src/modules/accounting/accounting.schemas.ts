import { z } from 'zod';
import { opaqueText } from '../../platform/http/index.ts';
import { emailSchema } from '../admins/index.ts';
import { factorCode } from '../second-factor/index.ts';
import { permissions, portalRoles } from './permissions.ts';

export const portalLoginBody = z.object({
  email: emailSchema,
  password: z.string().min(1).max(256),
  /** Of the authenticator app, or a recovery code. */
  code: factorCode.optional(),
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
  /** Sent with this browser's next sign-in, so that strangers' failures don't lock it. */
  browserToken: z.string(),
  /** Nothing but setting up an authenticator app is open to this token. */
  mustEnrolSecondFactor: z.boolean(),
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
