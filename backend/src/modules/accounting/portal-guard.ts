import type { Request } from 'express';
import type { Clock } from '../../platform/clock/clock.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Access, Guard } from '../../platform/http/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { Switches } from '../settings/index.ts';
import type { PortalPrincipal } from './accounting.types.ts';
import { isAdministration } from './permissions.ts';
import { findLivePortalSession } from './portal-users.store.ts';

interface PortalGuardOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly switches: Switches;
  readonly audit: Auditor;
}

/** 32 random bytes as base64url. */
const tokenPattern = /^[\w-]{43}$/u;

const holds = (principal: PortalPrincipal, permission: string): boolean =>
  principal.permissions.includes(permission) &&
  (!isAdministration(permission) || principal.role === 'super_admin');

/**
 * Admits accounting staff. It checks the portal token (401), the permission (403) and read-only
 * mode (403), in this order. Role, active flag and permissions are read anew on every request, and
 * every refusal writes an audit row.
 */
export const createPortalGuard = (options: PortalGuardOptions): Guard => {
  const { db, clock, switches, audit } = options;

  const principalOf = async (req: Request): Promise<PortalPrincipal | undefined> => {
    const token = req.get('x-portal-token') ?? '';
    if (!tokenPattern.test(token)) return undefined;
    const found = await findLivePortalSession(db, hashToken(token), clock.now());
    if (found === undefined || !found.user.active) return undefined;
    const { id, email, name, role, permissions } = found.user;
    return { portalUserId: id, sessionId: found.sessionId, email, name, role, permissions };
  };

  const refuse = async (
    code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED' | 'READ_ONLY_MODE',
    req: Request,
    access: Access<unknown>,
    principal?: PortalPrincipal,
  ): Promise<never> => {
    await audit.record(db, {
      action: 'accounting.refused',
      outcome: 'REFUSED',
      actor: {
        api: 'accounting',
        ...(principal !== undefined && {
          id: principal.portalUserId,
          email: principal.email,
          role: principal.role,
        }),
      },
      after: {
        code,
        method: req.method,
        route: String(req.route?.path ?? ''),
        permission: access.permission,
      },
      requestId: req.requestId,
      ip: req.ip ?? '',
    });
    throw new AppError(code);
  };

  const isWritable = async (access: Access<unknown>): Promise<boolean> => {
    if (access.write !== true || isAdministration(access.permission ?? '')) return true;
    return (await switches.read('ACCOUNTING_PORTAL_MODE')) === 'readwrite';
  };

  return {
    schemeName: 'portalToken',
    scheme: { type: 'apiKey', in: 'header', name: 'x-portal-token' },
    async admit(req, access) {
      const principal = await principalOf(req);
      if (principal === undefined) return refuse('UNAUTHENTICATED', req, access);
      const { permission } = access;
      if (permission !== undefined && !holds(principal, permission)) {
        return refuse('PERMISSION_DENIED', req, access, principal);
      }
      if (!(await isWritable(access))) return refuse('READ_ONLY_MODE', req, access, principal);
      return principal;
    },
  };
};
