import { z } from 'zod';

/** How an operator ends a manual review (contract: states > Resolutions). */
export const resolutions = [
  'ALLOCATE',
  'REFUNDED',
  'KEEP',
  'CONFIRM_SELL',
  'RELEASE_SELL',
] as const;
export type ResolutionName = (typeof resolutions)[number];

export const resolveBody = z
  .object({
    resolution: z.enum(resolutions),
    /** What proves it elsewhere; of a refund, the gateway's own reference. */
    reference: z.string().trim().min(1).max(128).optional(),
    note: z.string().trim().min(1).max(2000).optional(),
  })
  .refine(({ resolution, reference }) => resolution !== 'REFUNDED' || reference !== undefined, {
    path: ['reference'],
    message: 'a refund has a reference',
  });
