import { requirePermission, signedIn, type Access } from '../../platform/http/index.ts';
import type { Permission, PortalRole } from './permissions.ts';

/** A member of the accounting staff, as the store has it at this very request. */
export interface PortalPrincipal {
  readonly portalUserId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly permissions: readonly string[];
}

/** Any signed-in member. */
export const anyPortalUser: Access<PortalPrincipal> = signedIn<PortalPrincipal>();

/** A read that needs `permission`. */
export const portalRead = (permission: Permission): Access<PortalPrincipal> =>
  requirePermission<PortalPrincipal>(permission);

/** A write that needs `permission`, refused in read-only mode. */
export const portalWrite = (permission: Permission): Access<PortalPrincipal> =>
  requirePermission<PortalPrincipal>(permission, { write: true });
