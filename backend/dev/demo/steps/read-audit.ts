import { z } from 'zod';
import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { pageWire } from '../wire.ts';

const auditWire = pageWire(
  z.object({
    action: z.string(),
    actor: z.object({ email: z.string().nullable(), role: z.string().nullable() }),
    target: z.object({ type: z.string(), id: z.string() }).optional(),
    requestId: z.string().nullable(),
    at: z.iso.datetime(),
  }),
);

/** What operators do is on record, and nobody can change it. */
export const readAudit: Step = {
  title: 'The audit log has the approval',
  async run(demo) {
    const operator = demo.recall('operator');
    const { body } = await operator.api.ask({
      method: 'GET',
      path: `/audit?action=kyc.approve&targetId=${demo.recall('kycRecordId')}`,
      read: auditWire,
    });
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
