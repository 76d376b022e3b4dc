import { isEndedBy } from '../../platform/auth/credential-change.ts';
import { bearerToken, type TokenSigner } from '../../platform/auth/jwt.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Guard, Route } from '../../platform/http/index.ts';
import { tokenClaims } from './admins.schemas.ts';
import { findAdmin } from './admins.store.ts';
import type { AdminPrincipal } from './admins.types.ts';
import { createAdminsAdminRoutes } from './admins.admin.routes.ts';
import type { SignInAdminDeps } from './sign-in-admin.ts';

/**
 * Admits operators. Role and active flag are read from the store on every request, so a demotion
 * holds from the next request on and the stored role wins over the token's; a new password ends
 * the tokens of the old one. A customer's token fails here because no operator has its subject.
 */
const createAdminGuard = (options: { db: Db; tokens: TokenSigner }): Guard => ({
  schemeName: 'bearer',
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  async admit(req, access) {
    const token = bearerToken(req.get('authorization'));
    const claims = token === undefined ? undefined : options.tokens.verify(token, tokenClaims);
    if (claims === undefined) throw new AppError('UNAUTHENTICATED');
    const admin = await findAdmin(options.db, claims.sub);
    if (admin === undefined || !admin.active || isEndedBy(admin.passwordChangedAt, claims.iat)) {
      throw new AppError('UNAUTHENTICATED');
    }
    if (access.kind === 'roles' && access.roles?.includes(admin.role) !== true) {
      throw new AppError('FORBIDDEN');
    }
    const principal: AdminPrincipal = { adminId: admin.id, email: admin.email, role: admin.role };
    return principal;
  },
});

/** Wires the operators' sign-in and the guard of their API. */
export const createAdmins = (deps: SignInAdminDeps): { adminRoutes: Route[]; guard: Guard } => ({
  adminRoutes: createAdminsAdminRoutes(deps),
  guard: createAdminGuard(deps),
});
