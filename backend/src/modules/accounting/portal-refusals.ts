import type { Db, InTransaction } from '../../platform/db/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import type { Route } from '../../platform/http/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { PortalPrincipal } from './accounting.types.ts';

interface PortalRefusal {
  /** Absent for a caller without a valid token. */
  readonly principal?: PortalPrincipal | undefined;
  readonly requestId: string;
  readonly ip: string;
  /** The code and the route of the refusal. Nothing of this is secret. */
  readonly after: JsonObject;
}

/**
 * Records a refusal of the accounting API. A refusal of a signed-in user has its own row. Refusals of
 * other callers are counted together per address and minute, since such a caller could cause any
 * number of rows (contract: accounting > Portal refusals).
 */
export const recordPortalRefusal = async (
  deps: { readonly db: Db; readonly inTransaction: InTransaction; readonly audit: Auditor },
  { principal, requestId, ip, after }: PortalRefusal,
): Promise<void> => {
  const { db, inTransaction, audit } = deps;
  const action = 'accounting.refused';
  if (principal === undefined) {
    const refusal = { action, api: 'accounting', ip, requestId, after } as const;
    await inTransaction((tx) => audit.recordRefusal(tx, refusal));
    return;
  }
  const { portalUserId: id, email, role } = principal;
  const actor = { api: 'accounting', id, email, role } as const;
  await audit.record(db, { action, outcome: 'REFUSED', actor, after, requestId, ip });
};

/** Wraps routes so that each records a PERMISSION_DENIED of its handler. */
export const withRecordedRefusals = (
  deps: Parameters<typeof recordPortalRefusal>[0],
  routes: readonly Route[],
): Route[] =>
  routes.map((route) => ({
    ...route,
    async run(input) {
      try {
        return await route.run(input);
      } catch (error) {
        if (isAppError(error, 'PERMISSION_DENIED')) {
          const { requestId, ip } = input.context;
          const after = { code: error.code, method: route.method, route: route.path };
          // The guard of this API has admitted the request, so its principal is a portal user.
          const principal = input.principal as PortalPrincipal;
          await recordPortalRefusal(deps, { principal, requestId, ip, after });
        }
        throw error;
      }
    },
  }));
