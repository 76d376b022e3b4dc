import type { Request } from 'express';
import type { Clock } from '../../platform/clock/clock.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Access, Guard } from '../../platform/http/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { SecondFactorDeps } from '../second-factor/index.ts';
import type { Switches } from '../settings/index.ts';
import type { PortalPrincipal } from './accounting.types.ts';
import { isAdministration } from './permissions.ts';
import { holds } from './portal-grants.ts';
import { recordPortalRefusal } from './portal-refusals.ts';
import { createPortalFactors } from './portal-sign-in.ts';
import { findLivePortalSession } from './portal-users.store.ts';

interface PortalGuardOptions extends SecondFactorDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly switches: Switches;
  readonly audit: Auditor;
  readonly secondFactorRequired?: boolean;
}

/** 32 random bytes as base64url. */
const tokenPattern = /^[\w-]{43}$/u;

/**
 * Creates the guard that admits portal users. It checks the portal token (401), a required second
 * factor (403), the permission (403) and read-only mode (403), in this order. It reads the role, the
 * active flag and the permissions on every request. It audits every refusal. Refusals without a
 * valid token are counted together per address and minute.
 */
export const createPortalGuard = (options: PortalGuardOptions): Guard => {
  const { db, inTransaction, clock, switches, audit } = options;

  const principalOf = async (req: Request): Promise<PortalPrincipal | undefined> => {
    const token = req.get('x-portal-token') ?? '';
    if (!tokenPattern.test(token)) return undefined;
    const found = await findLivePortalSession(db, hashToken(token), clock.now());
    if (found === undefined || !found.user.active) return undefined;
    const { id, email, name, role, permissions } = found.user;
    return { portalUserId: id, sessionId: found.sessionId, email, name, role, permissions };
  };

  const refuse = async (
    code: 'UNAUTHENTICATED' | 'SECOND_FACTOR_NOT_ENROLLED' | 'PERMISSION_DENIED' | 'READ_ONLY_MODE',
    req: Request,
    { permission }: Access<unknown>,
    principal?: PortalPrincipal,
  ): Promise<never> => {
    const { requestId, ip = '', method } = req;
    const route = String(req.route?.path ?? '');
    const after = { code, method, route, ...(permission !== undefined && { permission }) };
    await recordPortalRefusal({ db, inTransaction, audit }, { principal, requestId, ip, after });
    throw new AppError(code);
  };

  const isWritable = async (access: Access<unknown>): Promise<boolean> => {
    if (access.write !== true || isAdministration(access.permission ?? '')) return true;
    return (await switches.read('ACCOUNTING_PORTAL_MODE')) === 'readwrite';
  };

  // An active second factor was required for this session, because setting it up ended all others.
  const lacksFactor = async (access: Access<unknown>, ownerId: string): Promise<boolean> =>
    options.secondFactorRequired === true &&
    access.secondFactor === 'asked' &&
    !(await createPortalFactors(options).isActive(db, ownerId));

  return {
    schemeName: 'portalToken',
    scheme: { type: 'apiKey', in: 'header', name: 'x-portal-token' },
    async admit(req, access) {
      const principal = await principalOf(req);
      if (principal === undefined) return refuse('UNAUTHENTICATED', req, access);
      if (await lacksFactor(access, principal.portalUserId)) {
        return refuse('SECOND_FACTOR_NOT_ENROLLED', req, access, principal);
      }
      const needed = [access.permission, access.besides?.(req.query)];
      const missing = needed.find(
        (permission) => permission !== undefined && !holds(principal, permission),
      );
      if (missing !== undefined) {
        return refuse('PERMISSION_DENIED', req, { ...access, permission: missing }, principal);
      }
      if (!(await isWritable(access))) return refuse('READ_ONLY_MODE', req, access, principal);
      return principal;
    },
  };
};
