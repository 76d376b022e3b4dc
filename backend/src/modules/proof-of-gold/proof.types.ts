import { z } from 'zod';

export const runTriggers = ['SCHEDULE', 'OPERATOR'] as const;
export const runStatuses = ['QUEUED', 'RUNNING', 'PUBLISHED', 'REFUSED', 'FAILED'] as const;

/** The reasons why a run signs no statement. */
export const refusalReasons = [
  'BOOKS_DIFFER',
  'PROVIDER_SILENT',
  'NOT_CONFIRMED_IN_TIME',
  'NO_SIGNING_KEY',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Grams as text with all eight decimals, so that no reader rounds them. */
export const decimalGrams = z.string().regex(/^-?\d{1,22}\.\d{8}$/u);

/** An account whose balance at the provider differs from our books. */
const differing = z.object({
  userId: z.uuid().nullable(),
  booked: decimalGrams,
  confirmed: decimalGrams,
  difference: decimalGrams,
});

/** The figures of a run that was refused. */
export const refusalDetail = z.object({
  liabilities: decimalGrams.optional(),
  confirmed: decimalGrams.optional(),
  movements: decimalGrams.optional(),
  accountsDiffering: z.int().min(0).optional(),
  samples: z.array(differing).max(20).optional(),
  note: z.string().max(500).optional(),
});
export type RefusalDetail = z.output<typeof refusalDetail>;
