import { changing, type AdminWrite } from './admin-write.ts';
import type { AuditFixture } from './audit-fixture.ts';

/** Stores another super admin's request. Returns the requester and its path. */
const asked = async (fixture: AuditFixture, step: string) => {
  const by = await fixture.factories.admin('SUPER_ADMIN');
  const id = await fixture.askedSpreads(by);
  return { by, path: `/approvals/${id}/${step}` };
};

/** Decisions on another operator's request. */
export const approvalWrites: Readonly<Record<string, AdminWrite>> = {
  'POST /approvals/:id/approve': changing(
    'approval.approve',
    async (fixture) => ({ path: (await asked(fixture, 'approve')).path }),
    { actions: ['price.config.set', 'approval.approve'], again: 409 },
  ),
  'POST /approvals/:id/reject': changing(
    'approval.reject',
    async (fixture) => ({
      path: (await asked(fixture, 'reject')).path,
      body: { reason: 'agreed for next week' },
    }),
    { again: 409, bad: { body: {}, status: 400 } },
  ),
  'POST /approvals/:id/withdraw': changing(
    'approval.withdraw',
    (fixture) => asked(fixture, 'withdraw'),
    { again: 409 },
  ),
};
