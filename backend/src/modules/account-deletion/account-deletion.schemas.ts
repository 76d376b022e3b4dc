import { z } from 'zod';

export const confirmDeletionBody = z.object({
  otp: z.string('must be text').regex(/^\d{6}$/u, 'must be 6 digits'),
  confirmation: z.literal('DELETE', 'must be DELETE'),
  forfeitGold: z.boolean('must be true or false').optional(),
});

export const deletionCodeAnswer = z.object({
  sent: z.literal(true),
  expiresInSec: z.number().int(),
});

export const deletedAnswer = z.object({
  status: z.literal('deleted'),
  deletedAt: z.iso.datetime(),
});

export const deletionStatus = z.discriminatedUnion('status', [
  z.object({ status: z.literal('none') }),
  deletedAnswer,
]);
deletionStatus.register(z.globalRegistry, {
  id: 'DeletionStatus',
  description: 'Whether the account of the token is deleted.',
});
