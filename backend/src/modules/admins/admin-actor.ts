import type { RequestContext } from '../../platform/http/index.ts';
import type { AdminPrincipal } from './admins.types.ts';

/** Who and whence, as an audit row wants it: spread into an AuditEntry. */
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
