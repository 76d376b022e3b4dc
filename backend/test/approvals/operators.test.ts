import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller, type Answer } from '#test/support/caller.ts';
import type { AdminRole } from '../../src/modules/admins/index.ts';
import { openAdminApi, type OpenAdminApi } from '#test/support/open-admin-api.ts';
import { openAuditFixture, type AuditFixture } from '../audit/audit-fixture.ts';
import { createApprovalExpiry } from '../../src/modules/approvals/index.ts';

const hourSeconds = 3600;

let open: OpenAdminApi;
let fixture: AuditFixture;

beforeAll(async () => {
  open = await openAdminApi({
    SECOND_OPERATOR_ACTIONS: 'spreads, limits, payouts, resolutions',
    SECOND_OPERATOR_PAYOUT_PAISE: '50000',
  });
  fixture = await openAuditFixture(open);
});

afterAll(async () => {
  await fixture.close();
  await open.close();
});

// A target has at most one pending request, so the requests of earlier tests are expired.
beforeEach(async () => {
  const expired = { status: 'EXPIRED', decidedAt: open.system.clock.now() };
  await open.system.db.approvalRequest.updateMany({ where: { status: 'PENDING' }, data: expired });
});

/** Signs a new operator in, and calls as them. */
const operator = async (role: AdminRole) => {
  const admin = await fixture.factories.admin(role);
  return { ...admin, call: bearerCaller(open.url, admin.token) };
};
type Operator = Awaited<ReturnType<typeof operator>>;

const spread = { buySpreadBps: 120, sellSpreadBps: 80 };
const askSpread = ({ call }: Operator, body: object = spread) =>
  call('POST', '/price/config', body);
const idOf = ({ body }: Answer): string => String(body['approvalId']);
const decide = ({ call }: Operator, id: string, decision: string, body?: object) =>
  call('POST', `/approvals/${id}/${decision}`, body);
const spreadNow = async ({ call }: Operator) => (await call('GET', '/price/config')).body;
const auditOf = async (where: object) =>
  open.system.db.auditLog.findMany({ where, orderBy: { seq: 'asc' } });

describe('a listed action', () => {
  it('waits for another operator, and is taken by their approval', async () => {
    const [asking, other] = [await operator('SUPER_ADMIN'), await operator('SUPER_ADMIN')];
    const before = await spreadNow(asking);
    const body = { buySpreadBps: 131, sellSpreadBps: 72 };
    const request = await askSpread(asking, body);
    expect(request).toMatchObject({
      status: 202,
      body: { action: 'spreads', status: 'PENDING', body, before, after: body },
    });
    expect(await spreadNow(asking)).toEqual(before);
    expect(await auditOf({ action: 'price.config.set', actorId: asking.adminId })).toEqual([]);
    const { body: overview } = await other.call('GET', '/dashboard/overview');
    expect(overview['attention']).toContainEqual(
      expect.objectContaining({ kind: 'approval_pending', count: 1 }),
    );

    const id = idOf(request);
    const own = await decide(asking, id, 'approve');
    expect(own).toMatchObject({ status: 403, code: 'OTHER_PERSON_REQUIRED' });
    expect(await decide(asking, id, 'reject', { reason: 'no' })).toMatchObject({ status: 403 });
    const approved = await decide(other, id, 'approve');
    expect(approved).toMatchObject({
      status: 200,
      body: {
        status: 'APPROVED',
        requestedBy: { id: asking.adminId, email: asking.email },
        decidedBy: { id: other.adminId, email: other.email },
      },
    });
    expect(await spreadNow(asking)).toEqual(body);
    const again = await decide(other, id, 'approve');
    expect(again).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });

    const [change] = await auditOf({ action: 'price.config.set', actorId: other.adminId });
    expect(change?.after).toEqual({ ...body, requestedBy: asking.email, approvalId: id });
    const rows = await auditOf({ targetId: id });
    expect(rows.map(({ action, actorEmail }) => [action, actorEmail])).toEqual([
      ['approval.request', asking.email],
      ['approval.approve', other.email],
    ]);
    expect(rows[1]?.before).toEqual({ status: 'PENDING', requestedBy: asking.email });
  });

  it('is refused at once if it would fail, and stores no request', async () => {
    const asking = await operator('SUPER_ADMIN');
    const count = await open.system.db.approvalRequest.count();
    expect(await askSpread(asking, { buySpreadBps: -1 })).toMatchObject({ status: 400 });
    const path = `/payouts/${await fixture.payout('FAILED')}/approve`;
    expect(await asking.call('POST', path)).toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    expect(await askSpread(await operator('SUPPORT'))).toMatchObject({ code: 'FORBIDDEN' });
    expect(await open.system.db.approvalRequest.count()).toBe(count);
  });

  it('can have only one pending request', async () => {
    const [asking, other] = [await operator('SUPER_ADMIN'), await operator('SUPER_ADMIN')];
    const answers = await Promise.all([askSpread(asking), askSpread(other)]);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.find(({ status }) => status === 409)?.code).toBe('CONFLICT');
  });

  it('is taken once if two operators approve it concurrently', async () => {
    const asking = await operator('ADMIN');
    const others = await Promise.all((['ADMIN', 'SUPER_ADMIN', 'ADMIN'] as const).map(operator));
    const payoutId = await fixture.payout('PENDING');
    const request = await asking.call('POST', `/payouts/${payoutId}/approve`);
    expect(request).toMatchObject({ status: 202, body: { target: payoutId } });
    const answers = await Promise.all(others.map((one) => decide(one, idOf(request), 'approve')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'ILLEGAL_TRANSITION')).toHaveLength(2);
    const attempts = await open.system.db.payoutAttempt.count({ where: { payoutId } });
    expect(attempts).toBe(1);
    const payout = await open.system.db.payout.findUniqueOrThrow({ where: { id: payoutId } });
    const winner = others[answers.findIndex(({ status }) => status === 200)];
    expect(payout).toMatchObject({ status: 'PROCESSING', approvedBy: winner?.adminId });
  });

  it('is checked again at the approval, and stays pending if it fails', async () => {
    const [asking, other] = [await operator('ADMIN'), await operator('ADMIN')];
    const payoutId = await fixture.payout('PENDING');
    const id = idOf(await asking.call('POST', `/payouts/${payoutId}/approve`));
    await fixture.run("UPDATE payout SET status = 'FAILED' WHERE id = $1", [payoutId]);
    expect(await decide(other, id, 'approve')).toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    expect((await other.call('GET', `/approvals/${id}`)).body).toMatchObject({
      status: 'PENDING',
    });
    const reason = 'The payout has failed meanwhile.';
    expect(await decide(other, id, 'reject', { reason })).toMatchObject({
      status: 200,
      body: { status: 'REJECTED', reason },
    });
    const [row] = await auditOf({ targetId: id, action: 'approval.reject' });
    expect(row).toMatchObject({ actorId: other.adminId });
    expect(JSON.stringify([row?.before, row?.after])).not.toContain('meanwhile');
    expect(await decide(other, id, 'approve')).toMatchObject({ status: 409 });
  });

  it('needs the role of the action for its decision too', async () => {
    const [asking, admin] = [await operator('SUPER_ADMIN'), await operator('ADMIN')];
    const id = idOf(await askSpread(asking));
    for (const decision of ['approve', 'reject']) {
      const answer = await decide(admin, id, decision, { reason: 'no' });
      expect(answer).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    const support = await operator('SUPPORT');
    expect(await support.call('GET', '/approvals')).toMatchObject({ status: 403 });
  });

  it('is withdrawn only by its requester', async () => {
    const [asking, other] = [await operator('SUPER_ADMIN'), await operator('SUPER_ADMIN')];
    const id = idOf(await askSpread(asking));
    expect(await decide(other, id, 'withdraw')).toMatchObject({ code: 'OTHER_PERSON_REQUIRED' });
    expect(await decide(asking, id, 'withdraw')).toMatchObject({
      body: { status: 'WITHDRAWN' },
    });
    expect(await decide(other, id, 'approve')).toMatchObject({ status: 409 });
    const path = '/approvals?status=WITHDRAWN&action=spreads';
    expect((await other.call('GET', path)).body['items']).toMatchObject([{ approvalId: id }]);
  });

  it('is not taken for a requester who has lost the role', async () => {
    const [asking, other] = [await operator('SUPER_ADMIN'), await operator('SUPER_ADMIN')];
    const before = await spreadNow(other);
    const id = idOf(await askSpread(asking, { buySpreadBps: 999, sellSpreadBps: 999 }));
    await open.system.db.adminUser.update({
      where: { id: asking.adminId },
      data: { active: false },
    });
    expect(await decide(other, id, 'approve')).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(await spreadNow(other)).toEqual(before);
  });

  it('expires, after which another request can be made', async () => {
    const { system } = open;
    const first = idOf(await askSpread(await operator('SUPER_ADMIN')));
    await system.advance(72 * hourSeconds);
    const [asking, other] = [await operator('SUPER_ADMIN'), await operator('SUPER_ADMIN')];
    expect((await other.call('GET', `/approvals/${first}`)).body['status']).toBe('EXPIRED');
    expect(await decide(other, first, 'approve')).toMatchObject({ code: 'ILLEGAL_TRANSITION' });
    const second = idOf(await askSpread(asking));
    await system.advance(72 * hourSeconds);
    await createApprovalExpiry(system).run(new AbortController().signal);
    const statuses = await system.db.approvalRequest.findMany({
      where: { id: { in: [first, second] } },
    });
    expect(statuses.map(({ status }) => status)).toEqual(['EXPIRED', 'EXPIRED']);
    const rows = await auditOf({ action: 'approval.expire', targetId: { in: [first, second] } });
    expect(rows).toHaveLength(2);
  });

  it('is a resolution that costs the house, which is KEEP or RECOVER', async () => {
    const [asking, other] = [await operator('SUPER_ADMIN'), await operator('SUPER_ADMIN')];
    const orderId = await fixture.reviewedBuy();
    const path = `/orders/${orderId}/resolve`;
    const note = 'the bank paid again';
    const request = await asking.call('POST', path, { resolution: 'KEEP', note });
    expect(request).toMatchObject({
      status: 202,
      body: { action: 'resolutions', target: orderId },
    });
    const stored = await open.system.db.approvalRequest.findMany();
    expect(JSON.stringify(stored)).not.toContain(note);
    const order = async () =>
      (await open.system.db.goldOrder.findUniqueOrThrow({ where: { id: orderId } })).status;
    expect(await order()).toBe('MANUAL_REVIEW');
    expect(await decide(other, idOf(request), 'approve')).toMatchObject({ status: 200 });
    expect(await order()).toBe('ALLOCATED');
    // Other resolutions are not listed, so they are decided at once.
    const release = await asking.call('POST', path, { resolution: 'RELEASE_SELL' });
    expect(release).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
  });
});

describe('an action that is not listed', () => {
  it('is a payout up to the limit, or one that the setting does not name', async () => {
    const asking = await operator('SUPER_ADMIN');
    const payoutId = await fixture.payout('PENDING');
    await fixture.run('UPDATE payout SET amount_paise = 50000 WHERE id = $1', [payoutId]);
    const approved = await asking.call('POST', `/payouts/${payoutId}/approve`);
    expect(approved).toMatchObject({ status: 200, body: { id: payoutId } });
    const evidence = { value: 'x', reference: 'y', verified: true };
    const path = '/readiness/evidence/legal_entity';
    expect(await asking.call('PUT', path, evidence)).toMatchObject({ status: 200 });
  });
});

it('the database refuses an approval by the requester', async () => {
  const asking = await operator('SUPER_ADMIN');
  const id = idOf(await askSpread(asking));
  const forged = fixture.run(
    `UPDATE approval_request SET status = 'APPROVED', decided_by = requested_by,
       decided_by_email = requested_by_email, decided_at = now() WHERE id = $1`,
    [id],
  );
  await expect(forged).rejects.toThrow('approval_request_decided_check');
});

it('an unknown action in the setting is refused', async () => {
  await expect(openAdminApi({ SECOND_OPERATOR_ACTIONS: 'spreads,spredas' })).rejects.toThrow(
    'spredas is not one of',
  );
});
