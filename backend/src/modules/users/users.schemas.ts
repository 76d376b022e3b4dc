import { z } from 'zod';
import { exampleOf, pageOf, pageQuery, plainText } from '../../platform/http/index.ts';
import { bankAccountView } from '../banking/index.ts';
import { holdingView } from '../holdings/index.ts';
import { kycStatuses, presentUser, userView } from '../identity/index.ts';
import { kycOperatorView } from '../kyc/index.ts';
import { planView } from '../plans/index.ts';
import { rewardView } from '../referrals/index.ts';
import { securityEventKinds } from '../security-events/index.ts';
import type { SecurityEventRow, UserRow } from './users.read-model.ts';

export const usersQuery = pageQuery.extend({
  q: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 characters')
    .describe(
      'A phone number, an id, or a part of a name or email. With 1 or 2 characters, the beginning ' +
        'of a name or email.',
    )
    .optional(),
  blocked: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  kycStatus: z.enum(kycStatuses).optional(),
});

export const userOperatorView = userView.extend({
  phone: z.string().nullable().describe('The phone number. Null once the account is deleted.'),
  blocked: z.boolean(),
  blockedReason: z.string().nullable(),
  providerUserId: z.string().nullable(),
  deletedAt: z.iso.datetime().nullable(),
});
userOperatorView.register(z.globalRegistry, {
  id: 'UserRecord',
  description: 'A customer as operators see them. A deleted customer has no personal data.',
  examples: [
    {
      ...exampleOf(userView),
      blocked: false,
      blockedReason: null,
      providerUserId: 'SG-U-1001',
      deletedAt: null,
    },
  ],
});

export const userPage = pageOf(userOperatorView);

const securityEventView = z.object({
  kind: z.enum(securityEventKinds),
  ip: z.string(),
  deviceId: z.string().nullable(),
  count: z.int().min(1),
  at: z.iso.datetime(),
});
securityEventView.register(z.globalRegistry, {
  id: 'SecurityEvent',
  description: 'A security event of an account, which happened `count` times within a minute.',
  examples: [
    {
      kind: 'device_signed_in',
      ip: '203.0.113.7',
      deviceId: 'pixel-9-4f2a',
      count: 1,
      at: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const userDetail = userOperatorView.extend({
  holding: holdingView,
  kyc: kycOperatorView.nullable().describe('The KYC record. Null until something is submitted.'),
  bankAccounts: z.array(bankAccountView),
  securityEvents: z
    .array(securityEventView)
    .describe('The newest 50 security events. The timeline has all.'),
  referralRewards: z.array(rewardView).describe('The newest 100 rewards of the customer.'),
  plans: z.array(planView).describe('The newest 100 plans.'),
});
userDetail.register(z.globalRegistry, {
  id: 'UserDetail',
  description:
    'A customer with their holding, KYC, bank accounts, security events, rewards and plans.',
  examples: [
    {
      ...exampleOf(userOperatorView),
      holding: exampleOf(holdingView),
      kyc: exampleOf(kycOperatorView),
      bankAccounts: [exampleOf(bankAccountView)],
      securityEvents: [exampleOf(securityEventView)],
      referralRewards: [exampleOf(rewardView)],
      plans: [exampleOf(planView)],
    },
  ],
});

export const blockBody = z
  .object({
    blocked: z.boolean(),
    reason: plainText(500).describe('The reason. Required to block a customer.').exactOptional(),
  })
  .refine(({ blocked, reason }) => !blocked || reason !== undefined, {
    path: ['reason'],
    message: 'is required to block an account',
  });
blockBody.register(z.globalRegistry, {
  id: 'BlockUserRequest',
  examples: [{ blocked: true, reason: 'The owner reported that the phone was stolen.' }],
});
export type BlockInput = z.output<typeof blockBody>;

/** Presents a customer to operators, with the reason of a block in clear. */
export const presentUserRow = (row: UserRow, blockedReason: string | null) => ({
  ...presentUser(row, row.kycStatus),
  blocked: row.blocked,
  blockedReason,
  providerUserId: row.providerUserId,
  deletedAt: row.deletedAt?.toISOString() ?? null,
});

export const presentSecurityEvent = (row: SecurityEventRow) => ({
  ...row,
  at: row.at.toISOString(),
});
