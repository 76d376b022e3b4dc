import { isEndedBy } from '../../platform/auth/credential-change.ts';
import { bearerToken } from '../../platform/auth/jwt.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Guard, Route } from '../../platform/http/index.ts';
import { tokenClaims } from './admins.schemas.ts';
import { findAdmin } from './admins.store.ts';
import type { AdminPrincipal } from './admins.types.ts';
import { createAdminsAdminRoutes } from './admins.admin.routes.ts';
import { createOwnCredentialRoutes } from './own-credentials.admin.routes.ts';
import { createAdminFactors, type SignInAdminDeps } from './sign-in-admin.ts';

/**
 * Admits operators. It reads role and active flag from the database on every request, so a
 * demotion applies from the next request on, whatever role the token has. A new password ends the
 * earlier tokens. A customer's token is refused because no operator has its subject. An active
 * second factor was checked for each token, since its activation ended the earlier tokens.
 */
const createAdminGuard = (options: SignInAdminDeps): Guard => ({
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
    if (
      options.secondFactorRequired === true &&
      access.secondFactor === 'asked' &&
      !(await createAdminFactors(options).isActive(options.db, admin.id))
    ) {
      throw new AppError('SECOND_FACTOR_NOT_ENROLLED');
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
  adminRoutes: [...createAdminsAdminRoutes(deps), ...createOwnCredentialRoutes(deps)],
  guard: createAdminGuard(deps),
});
