import type { Request } from 'express';

/**
 * The callers that a route admits. The type parameter is the type of the handler's `principal`. The
 * API's `Guard` turns a credential into a principal and decides whether it suffices.
 */
export interface Access<Principal> {
  readonly kind: 'public' | 'signed-in' | 'roles' | 'permission';
  readonly roles?: readonly string[];
  readonly permission?: string;
  /** True for a write, which is refused in an API's read-only mode. */
  readonly write?: boolean;
  /** Returns the further permission that a query requires. The query is not validated yet. */
  readonly besides?: (query: unknown) => string | undefined;
  /** Refuses a principal who has not set up a required second factor. */
  readonly secondFactor?: 'asked';
  /** Admits a principal whose account is deleted too, as long as the credential has not expired. */
  readonly admitsDeleted?: boolean;
  /** Never set. It only carries the type. */
  readonly principal?: Principal;
}

/** Admits everyone. No credential is read. */
export const PUBLIC: Access<undefined> = { kind: 'public' };

/** Admits any principal of the API. */
export const signedIn = <Principal>(): Access<Principal> => ({ kind: 'signed-in' });

/** Admits a principal with one of exactly these roles. Roles have no hierarchy. */
export const requireRoles = <Principal>(...roles: readonly string[]): Access<Principal> => ({
  kind: 'roles',
  roles,
});

/**
 * Admits a principal with this permission. A `write` route is refused while the API is read-only.
 */
export const requirePermission = <Principal>(
  permission: string,
  options: Pick<Access<Principal>, 'write' | 'besides'> = {},
): Access<Principal> => ({ kind: 'permission', permission, write: false, ...options });

/**
 * Turns a credential of one API into a principal and decides whether it suffices. `admit` throws an
 * AppError (401, 403) or returns the principal. It is never called for a public route.
 */
export interface Guard {
  admit(req: Request, access: Access<unknown>): Promise<unknown>;
  /** The OpenAPI security scheme of the credential. */
  readonly scheme:
    | { type: 'http'; scheme: 'bearer'; bearerFormat: string }
    | { type: 'apiKey'; in: 'header'; name: string };
  readonly schemeName: string;
}
