import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';

/** Checks that the audit log has the operator's approval and that nobody can change it. */
export const readAudit: Step = {
  title: 'The audit log has the approval',
  async run(demo) {
    const operator = demo.readState('operator');
    const query = { action: 'kyc.approve', targetId: demo.readState('kycRecordId') };
    const { body } = await operator.api.get('/v1/audit', { query });
    const [newest] = body.items;
    expectThat(newest !== undefined && body.total === 1, `it has ${body.total} approvals`);
    expectThat(newest.actor.email === operator.email, `it names ${newest.actor.email ?? 'nobody'}`);
    const { at, action, actor, target, requestId } = newest;
    return [
      `${at}  ${action} of ${target?.type ?? ''} ${target?.id ?? ''}`,
      `by ${actor.email ?? ''} (${actor.role ?? ''}), request ${requestId ?? ''}`,
    ];
  },
};
