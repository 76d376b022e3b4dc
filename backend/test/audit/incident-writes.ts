import {
  buyOrderRow,
  buyQuoteRow,
  gatewayPaymentRow,
  newId,
  webhookRow,
} from '../migrations/rows.ts';
import { changing, reason, type AdminWrite } from './admin-write.ts';
import type { AuditFixture } from './audit-fixture.ts';

/** Stores an event that waits for its order. */
const waitingEvent = (fixture: AuditFixture): Promise<string> =>
  fixture.add('webhook_event', { ...webhookRow(), status: 'UNMATCHED', sealed_body: 'sealed' });

/** Puts a job on the queue that has used up its tries. */
const deadJob = async (fixture: AuditFixture): Promise<string> => {
  const key = newId();
  await fixture.run('SELECT graphile_worker.add_job($1, max_attempts := 1)', [key]);
  const [job] = await fixture.run(
    `UPDATE graphile_worker._private_jobs SET attempts = 1 WHERE task_id = (
       SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1) RETURNING id::text`,
    [key],
  );
  return String(job?.['id']);
};

/**
 * Records the capture of an order that is not ours, at a gateway that can't be queried any more.
 */
const unmatchedPayment = (fixture: AuditFixture): Promise<string> =>
  fixture.add('gateway_payment', {
    ...gatewayPaymentRow(null),
    gateway: 'former',
    standing: 'UNMATCHED',
  });

/** Records the reward of a buy that was not reversed. */
const reward = async (fixture: AuditFixture, status: 'EARNED' | 'APPROVED'): Promise<string> => {
  const [referrer, referee] = [await fixture.customer(), await fixture.customer()];
  const quoteId = await fixture.add('gold_quote', buyQuoteRow(referee));
  const order = buyOrderRow(referee, quoteId);
  const at = order['updated_at'];
  const orderId = await fixture.add('gold_order', {
    ...order,
    status: 'ALLOCATED',
    allocated_at: at,
  });
  const referralId = await fixture.add('referral', {
    id: newId(),
    referrer_user_id: referrer,
    referee_user_id: referee,
    code: 'GOLD7K2M',
    status: 'REWARDED',
    applied_at: at,
    updated_at: at,
  });
  const { adminId } = await fixture.factories.admin('ADMIN');
  return fixture.add('referral_reward', {
    id: newId(),
    referral_id: referralId,
    user_id: referrer,
    order_id: orderId,
    amount_paise: 5000,
    status,
    created_at: at,
    bought_at: at,
    earned_at: at,
    ...(status === 'APPROVED' && { approved_at: at, approved_by: adminId }),
  });
};

const rewardPath = async (
  fixture: AuditFixture,
  status: 'EARNED' | 'APPROVED',
  step: string,
): Promise<string> => `/referrals/rewards/${await reward(fixture, status)}/${step}`;

/** Writes of claims, stored events, jobs, open payments and rewards. */
export const incidentWrites: Readonly<Record<string, AdminWrite>> = {
  'POST /kyc/:id/claim': changing(
    'kyc.claim',
    async (fixture) => ({ path: `/kyc/${await fixture.submittedKyc()}/claim` }),
    { parts: 'after' },
  ),
  'DELETE /kyc/:id/claim': changing(
    'kyc.release',
    async (fixture) => ({ path: `/kyc/${await fixture.submittedKyc()}/claim` }),
    { parts: 'after' },
  ),
  'POST /webhook-events/:id/replay': changing('webhook-event.replay', async (fixture) => ({
    path: `/webhook-events/${await waitingEvent(fixture)}/replay`,
  })),
  'POST /jobs/:id/retry': changing('job.retry', async (fixture) => ({
    path: `/jobs/${await deadJob(fixture)}/retry`,
  })),
  'POST /jobs/:id/discard': changing(
    'job.discard',
    async (fixture) => ({ path: `/jobs/${await deadJob(fixture)}/discard`, body: reason }),
    { again: 404, bad: { body: {}, status: 400 } },
  ),
  'POST /payments/:id/refunded': changing(
    'payment.refunded',
    async (fixture) => ({
      path: `/payments/${await unmatchedPayment(fixture)}/refunded`,
      body: { reference: 'rfnd_1' },
    }),
    { status: 204, again: 404, bad: { body: {}, status: 400 } },
  ),
  'POST /reconciliation/runs': changing(
    'reconciliation.run',
    () => ({ path: '/reconciliation/runs', body: { windowHours: 24 } }),
    { status: 202, parts: 'after', bad: { body: { windowHours: 0 }, status: 400 } },
  ),
  'POST /proof-of-gold/runs': changing(
    'proof-of-gold.run',
    () => ({ path: '/proof-of-gold/runs' }),
    { status: 202, parts: 'after' },
  ),
  'POST /referrals/rewards/:id/approve': changing(
    'referral-reward.approve',
    async (fixture) => ({ path: await rewardPath(fixture, 'EARNED', 'approve') }),
    { again: 409 },
  ),
  'POST /referrals/rewards/:id/withdraw': changing(
    'referral-reward.withdraw',
    async (fixture) => ({ path: await rewardPath(fixture, 'APPROVED', 'withdraw') }),
    { again: 409 },
  ),
  'POST /referrals/rewards/:id/paid': changing(
    'referral-reward.paid',
    async (fixture) => ({
      path: await rewardPath(fixture, 'APPROVED', 'paid'),
      body: { reference: 'UTR1' },
    }),
    { again: 409, bad: { body: {}, status: 400 } },
  ),
};
