import { z } from 'zod';
import { pageOf, pageQuery, plainName, withSingleBlanks } from '../../platform/http/index.ts';
import { emailSchema, newPasswordSchema } from '../admins/index.ts';
import { portalUserView, presentPortalUser } from './accounting.schemas.ts';
import { defaultPermissions, isAdministration, permissions, portalRoles } from './permissions.ts';
import type { PortalUserRecord } from './portal-users.store.ts';

const nameSchema = plainName(100);
const permissionsSchema = z
  .array(z.enum(permissions))
  .max(permissions.length)
  .refine((list) => new Set(list).size === list.length, 'must name each permission once');

export const portalUsersQuery = pageQuery.extend({
  role: z.enum(portalRoles).optional(),
  active: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  q: z.string().transform(withSingleBlanks).pipe(z.string().min(1).max(128)).optional(),
});

export const newPortalUserBody = z.object({
  email: emailSchema,
  name: nameSchema,
  role: z.enum(portalRoles),
  password: newPasswordSchema,
  permissions: permissionsSchema.optional(),
});

export const portalUserPatch = z
  .object({ email: emailSchema.optional(), name: nameSchema.optional() })
  .refine(
    ({ email, name }) => email !== undefined || name !== undefined,
    'must change at least one field',
  );

export const passwordBody = z.object({ password: newPasswordSchema });
export const roleBody = z.object({ role: z.enum(portalRoles) });
export const permissionsBody = z.object({ permissions: permissionsSchema });

/** A portal user, as shown to those with the permission to read portal users. */
export const portalUserDetail = portalUserView.extend({
  active: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  lastLoginAt: z.iso.datetime().nullable(),
});

export const portalUsersPage = pageOf(portalUserDetail);

export const presentPortalUserDetail = (user: PortalUserRecord) => ({
  ...presentPortalUser(user),
  active: user.active,
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
  lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
});

export const rolesView = z.object({
  items: z.array(
    z.object({ role: z.enum(portalRoles), permissions: z.array(z.enum(permissions)) }),
  ),
});

export const permissionsView = z.object({
  items: z.array(z.object({ permission: z.enum(permissions), needsSuperAdmin: z.boolean() })),
});

/** Lists the roles, each with its default permissions. */
export const presentRoles = () => ({
  items: portalRoles.map((role) => ({ role, permissions: defaultPermissions[role] })),
});

/** Lists the permissions, and marks those that only super admins can have. */
export const presentPermissions = () => ({
  items: permissions.map((permission) => ({
    permission,
    needsSuperAdmin: isAdministration(permission),
  })),
});
