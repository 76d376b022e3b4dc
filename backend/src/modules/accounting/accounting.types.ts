import {
  requirePermission,
  signedIn,
  type Access,
  type RequestContext,
} from '../../platform/http/index.ts';
import type { Permission, PortalRole } from './permissions.ts';

/** A signed-in portal user, as the store had them at the start of this request. */
export interface PortalPrincipal {
  readonly portalUserId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly permissions: readonly string[];
}

/** Admits any signed-in portal user. */
export const anyPortalUser: Access<PortalPrincipal> = {
  ...signedIn<PortalPrincipal>(),
  secondFactor: 'asked',
};

/** Admits any signed-in portal user, even before they have set up a required authenticator app. */
export const anyPortalUserBeforeFactor: Access<PortalPrincipal> = signedIn<PortalPrincipal>();

/**
 * Admits portal users with `permission` to a read. If `besides` returns a further permission for a
 * query, they need that too.
 */
export const portalRead = (
  permission: Permission,
  besides?: (query: unknown) => Permission | undefined,
): Access<PortalPrincipal> => ({
  ...requirePermission<PortalPrincipal>(permission, besides === undefined ? {} : { besides }),
  secondFactor: 'asked',
});

/** Admits portal users with `permission` to a write, which read-only mode refuses. */
export const portalWrite = (permission: Permission): Access<PortalPrincipal> => ({
  ...requirePermission<PortalPrincipal>(permission, { write: true }),
  secondFactor: 'asked',
});

/** Returns the parts of an audit row that describe the actor and the request. */
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
