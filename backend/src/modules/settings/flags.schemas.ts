import { z } from 'zod';
import type { Flag } from './settings.types.ts';

export const flagBody = z.object({
  key: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9._-]{0,63}$/u,
      'must be a letter and at most 63 letters, digits or . _ -',
    ),
  enabled: z.boolean(),
  description: z.string().trim().max(500, 'must have at most 500 characters').optional(),
});

export type FlagBody = z.output<typeof flagBody>;

export const flagView = z.object({
  key: z.string(),
  enabled: z.boolean(),
  description: z.string().nullable(),
  updatedAt: z.iso.datetime(),
});
flagView.register(z.globalRegistry, {
  id: 'FeatureFlag',
  description: 'A flag that clients may be built on; it opens and closes nothing in the service.',
});

export const flagsView = z.object({ items: z.array(flagView) });

export const presentFlag = ({ updatedAt, ...flag }: Flag): z.output<typeof flagView> => ({
  ...flag,
  updatedAt: updatedAt.toISOString(),
});
