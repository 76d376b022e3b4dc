import { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import { pageOf, plainLine } from '../../platform/http/index.ts';
import { rewardStatuses, type ReferralReward } from './referrals.types.ts';

/** The body that applies a code. Case and surrounding spaces are ignored, because people type codes. */
export const applyBody = z.object({
  code: plainLine(64).transform((text) => text.toUpperCase()),
});
applyBody.register(z.globalRegistry, {
  id: 'ApplyReferralCodeRequest',
  examples: [{ code: 'GOLD7K2M' }],
});

export const codeAnswer = z.object({ code: z.string() });
codeAnswer.register(z.globalRegistry, {
  id: 'ReferralCode',
  description: "The caller's referral code, for other customers to apply.",
  examples: [{ code: 'GOLD7K2M' }],
});
export const appliedAnswer = z.object({ applied: z.literal(true) });
appliedAnswer.register(z.globalRegistry, {
  id: 'ReferralApplied',
  description: 'The code was applied.',
  examples: [{ applied: true }],
});

export const rewardView = z.object({
  id: z.uuid(),
  status: z.enum(rewardStatuses),
  rewardPaise: z.int().min(0).nullable(),
  createdAt: z.iso.datetime(),
  earnedAt: z.iso.datetime().nullable(),
});
rewardView.register(z.globalRegistry, {
  id: 'ReferralReward',
  description:
    "A reward for a customer who applied the caller's code. It has no amount until it is earned.",
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      status: 'EARNED',
      rewardPaise: 5000,
      createdAt: '2026-01-15T09:30:00.000Z',
      earnedAt: '2026-01-16T11:02:00.000Z',
    },
  ],
});

export const rewardPage = pageOf(rewardView);

export const presentReward = (reward: ReferralReward): z.output<typeof rewardView> => ({
  id: reward.id,
  status: reward.status,
  rewardPaise: reward.rewardPaise === null ? null : toSafePaise(reward.rewardPaise),
  createdAt: reward.createdAt.toISOString(),
  earnedAt: reward.earnedAt?.toISOString() ?? null,
});
