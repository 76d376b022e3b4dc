import { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import { idInput, pageOf, pageQuery, plainLine, rangeQuery } from '../../platform/http/index.ts';
import type { OperatorReward } from './operator-rewards.store.ts';
import { rewardStatuses } from './referrals.types.ts';

export const rewardsQuery = pageQuery.extend({
  status: z.enum(rewardStatuses).optional(),
  userId: idInput.optional().describe('The id of the referrer.'),
  ...rangeQuery,
});

export const rewardFileQuery = z.object({ status: z.enum(rewardStatuses).default('APPROVED') });

export const paidBody = z.object({
  reference: plainLine(128).describe(
    'The reference of the transfer that paid the reward, such as its UTR.',
  ),
});
paidBody.register(z.globalRegistry, {
  id: 'ReferralRewardPaidRequest',
  examples: [{ reference: 'UTR2026011500042' }],
});

const optionalTime = z.iso.datetime().nullable();

export const operatorRewardView = z.object({
  id: z.uuid(),
  status: z.enum(rewardStatuses),
  userId: z.uuid(),
  refereeUserId: z.uuid(),
  orderId: z.uuid().nullable(),
  rewardPaise: z.int().min(0).nullable(),
  createdAt: z.iso.datetime(),
  boughtAt: optionalTime,
  earnedAt: optionalTime,
  approvedAt: optionalTime,
  approvedBy: z.uuid().nullable(),
  paidAt: optionalTime,
  paidBy: z.uuid().nullable(),
  paymentReference: z.string().nullable(),
  reversedAt: optionalTime,
});
operatorRewardView.register(z.globalRegistry, {
  id: 'OperatorReferralReward',
  description: 'A reward for the referrer of a customer.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      status: 'APPROVED',
      userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      refereeUserId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b12',
      orderId: '0199d8f2-8c2e-7f60-9e77-5b3c8d9eaf12',
      rewardPaise: 5000,
      createdAt: '2026-01-01T09:30:00.000Z',
      boughtAt: '2026-01-02T11:02:00.000Z',
      earnedAt: '2026-01-09T11:02:00.000Z',
      approvedAt: '2026-01-12T06:00:00.000Z',
      approvedBy: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98',
      paidAt: null,
      paidBy: null,
      paymentReference: null,
      reversedAt: null,
    },
  ],
});

export const operatorRewardPage = pageOf(operatorRewardView);

const textOf = (time: Date | null): string | null => time?.toISOString() ?? null;

export const presentOperatorReward = (
  reward: OperatorReward,
): z.output<typeof operatorRewardView> => ({
  id: reward.id,
  status: reward.status,
  userId: reward.userId,
  refereeUserId: reward.refereeUserId,
  orderId: reward.orderId,
  rewardPaise: reward.rewardPaise === null ? null : toSafePaise(reward.rewardPaise),
  createdAt: reward.createdAt.toISOString(),
  boughtAt: textOf(reward.boughtAt),
  earnedAt: textOf(reward.earnedAt),
  approvedAt: textOf(reward.approvedAt),
  approvedBy: reward.approvedBy,
  paidAt: textOf(reward.paidAt),
  paidBy: reward.paidBy,
  paymentReference: reward.paymentReference,
  reversedAt: textOf(reward.reversedAt),
});
