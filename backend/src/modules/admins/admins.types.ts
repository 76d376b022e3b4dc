import { requireRoles, signedIn, type Access } from '../../platform/http/index.ts';

export const adminRoles = ['SUPER_ADMIN', 'ADMIN', 'SUPPORT'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** An operator, as the store has it at this very request. */
export interface AdminPrincipal {
  readonly adminId: string;
  readonly email: string;
  readonly role: AdminRole;
}

/** Exactly these roles: the check is not hierarchical (interface, Authentication 2). */
export const adminAccess = (...roles: readonly AdminRole[]): Access<AdminPrincipal> =>
  requireRoles<AdminPrincipal>(...roles);

/** Any authenticated operator. */
export const anyAdmin: Access<AdminPrincipal> = signedIn<AdminPrincipal>();
