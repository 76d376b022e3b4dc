import {
  requirePermission,
  signedIn,
  type Access,
  type RequestContext,
} from '../../platform/http/index.ts';
import type { Permission, PortalRole } from './permissions.ts';

/** A signed-in member of the accounting staff, read from the store on this very request. */
export interface PortalPrincipal {
  readonly portalUserId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly permissions: readonly string[];
}

/** Admits any signed-in member. */
export const anyPortalUser: Access<PortalPrincipal> = {
  ...signedIn<PortalPrincipal>(),
  secondFactor: 'asked',
};

/** Admits members who have still to set up their authenticator app, too. */
export const anyPortalUserBefore: Access<PortalPrincipal> = signedIn<PortalPrincipal>();

/** Admits those who hold `permission`, and what `besides` names of a query, for a read. */
export const portalRead = (
  permission: Permission,
  besides?: (query: unknown) => Permission | undefined,
): Access<PortalPrincipal> => ({
  ...requirePermission<PortalPrincipal>(permission, besides === undefined ? {} : { besides }),
  secondFactor: 'asked',
});

/** Admits those who hold `permission`, for a write: refused in read-only mode. */
export const portalWrite = (permission: Permission): Access<PortalPrincipal> => ({
  ...requirePermission<PortalPrincipal>(permission, { write: true }),
  secondFactor: 'asked',
});

/** Returns the actor, request id and address of an audit row: spread it into an AuditEntry. */
export const portalActor = (principal: PortalPrincipal, context: RequestContext) => ({
  actor: {
    api: 'accounting' as const,
    id: principal.portalUserId,
    email: principal.email,
    role: principal.role,
  },
  requestId: context.requestId,
  ip: context.ip,
});
