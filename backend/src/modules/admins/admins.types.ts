import {
  requireRoles,
  signedIn,
  type Access,
  type RequestContext,
} from '../../platform/http/index.ts';

export const adminRoles = ['SUPER_ADMIN', 'ADMIN', 'SUPPORT'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** A signed-in operator, whom the guard has read from the database for this request. */
export interface AdminPrincipal {
  readonly adminId: string;
  readonly email: string;
  readonly role: AdminRole;
}

/** The operator who acts, and their request. */
export interface ByOperator {
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

/** Admits exactly these roles. No role includes another one. */
export const adminAccess = (...roles: readonly AdminRole[]): Access<AdminPrincipal> => ({
  ...requireRoles<AdminPrincipal>(...roles),
  secondFactor: 'asked',
});

/** Admits any operator who is signed in. */
export const anyAdmin: Access<AdminPrincipal> = {
  ...signedIn<AdminPrincipal>(),
  secondFactor: 'asked',
};

/** Admits any operator who is signed in, even one who must still set up their authenticator app. */
export const anyAdminBeforeEnrolment: Access<AdminPrincipal> = signedIn<AdminPrincipal>();

/** Returns the actor, request id and address of an `AuditEntry`. */
export const adminActor = (principal: AdminPrincipal, context: RequestContext) => ({
  actor: {
    api: 'admin' as const,
    id: principal.adminId,
    email: principal.email,
    role: principal.role,
  },
  requestId: context.requestId,
  ip: context.ip,
});
