import { z } from 'zod';

const wholeNumber = (min: number, max: number, defaultValue: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/u, `must be a whole number from ${min} to ${max}`)
    .default(String(defaultValue))
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/**
 * `?page` from 1 and `?limit` from 1 to 100 (contract: conventions > Pagination); outside is 400.
 */
export const pageQuery = z.object({
  page: wholeNumber(1, 1_000_000, 1),
  limit: wholeNumber(1, 100, 20),
});

export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** Rows to pass over before the page begins. */
export const offsetOf = ({ page, limit }: Page): number => (page - 1) * limit;

/** The response schema of a list of `item`. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    total: z.int().min(0),
    page: z.int().min(1),
    limit: z.int().min(1).max(100),
  });

/** `:id` of a path. */
export const idParams = z.object({ id: z.uuid() });

/** The body of every error (contract: conventions > Errors). */
export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    details: z.unknown().optional(),
    requestId: z.string(),
  }),
});
