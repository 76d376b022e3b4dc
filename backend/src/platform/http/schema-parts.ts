import { z } from 'zod';
import { endOfIstDate, startOfIstDate } from '../clock/ist.ts';

/**
 * The first and last IST days that a request may name (contract: conventions > Times). They are far
 * from the years that PostgreSQL does not accept. JSON Schema can't express such bounds, so the
 * descriptions name them.
 */
const [firstDay, lastDay] = ['2000-01-01', '2100-12-31'];
const fromFirstToLast = `from ${firstDay} to ${lastDay}`;

/** Accepts an IST date, as text. */
export const istDay = z.iso
  .date('must be a date such as 2026-01-15')
  .refine((date) => date >= firstDay && date <= lastDay, `must be ${fromFirstToLast}`)
  .describe(`A date in IST, ${fromFirstToLast}.`);

/** Accepts a month of IST dates, as text. */
export const istMonth = z
  .string()
  .regex(/^(?:20\d{2}|2100)-(?:0[1-9]|1[0-2])$/u, 'must be a month such as 2026-01')
  .describe('A month in IST, from 2000-01 to 2100-12.');

/** Accepts a moment, with any offset from UTC. */
export const moment = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-15T09:30:00Z' })
  .transform((text) => new Date(text))
  .refine(
    (time) => time >= startOfIstDate(firstDay) && time < endOfIstDate(lastDay),
    `must be ${fromFirstToLast} in IST`,
  )
  .describe(`A time ${fromFirstToLast} in IST.`);

/**
 * Narrows a customer's list to rows that began between two moments (contract: conventions >
 * Pagination). Both are optional.
 */
export const betweenQuery = {
  from: moment.optional().describe('The beginning of the range, inclusive.'),
  to: moment.optional().describe('The end of the range, exclusive.'),
};

/** The same, as a handler gets it. */
export interface Between {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Converts the text of a query parameter to a number. Anything else is left unchanged. */
const readWholeNumber = (text: unknown): unknown =>
  typeof text === 'string' && /^\d{1,9}$/u.test(text) ? Number(text) : text;

export const wholeNumber = (min: number, max: number, defaultValue: number) =>
  z
    .preprocess(
      readWholeNumber,
      z
        .int(`must be a whole number from ${min} to ${max}`)
        .min(min, `must be at least ${min}`)
        .max(max, `must be at most ${max}`),
    )
    .prefault(defaultValue);

/** Accepts `?page` from 1 and `?limit` from 1 to 100 (contract: conventions > Pagination). */
export const pageQuery = z.object({
  page: wholeNumber(1, 1_000_000, 1).describe('The number of the page. The first page is 1.'),
  limit: wholeNumber(1, 100, 20).describe('The maximum number of items on a page.'),
});

const paiseText = z
  .string()
  .regex(/^\d{1,15}$/u, 'must be a whole number of paise')
  .transform(BigInt)
  .optional();

/**
 * Narrows a list by the times at which its rows began and by their amounts. All parts are optional.
 */
export const rangeQuery = {
  from: moment.optional().describe('The beginning of the range, inclusive.'),
  to: moment.optional().describe('The end of the range, exclusive.'),
  minPaise: paiseText.describe('The minimum amount in paise, inclusive.'),
  maxPaise: paiseText.describe('The maximum amount in paise, inclusive.'),
};

/** The same, as a handler gets it. */
export interface ListRange {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly minPaise?: bigint | undefined;
  readonly maxPaise?: bigint | undefined;
}

export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** Returns the number of rows before the page. */
export const offsetOf = ({ page, limit }: Page): number => (page - 1) * limit;

/**
 * Returns the example of a named response schema, for the example of a schema that contains it.
 * @throws Error for a schema without an example
 */
export const exampleOf = <T extends z.ZodType>(schema: T): z.output<T> => {
  const examples = schema.meta()?.['examples'];
  if (!Array.isArray(examples)) throw new Error('the schema has no example');
  return examples[0] as z.output<T>; // every example is validated by a test of the documents
};

/**
 * Returns the response schema of a list of `item`. It is named after the item, if the item has a
 * name.
 */
export const pageOf = <T extends z.ZodType>(item: T) => {
  const page = z.object({
    items: z.array(item),
    total: z.int().min(0),
    page: z.int().min(1),
    limit: z.int().min(1).max(100),
  });
  const name = item.meta()?.id;
  return name === undefined ? page : page.meta({ id: `${name}Page` });
};

/**
 * Accepts an id from a client, and converts it to lower case like all stored ids. The database
 * client compares ids as text if it reads several rows at once.
 */
export const idInput = z.guid().toLowerCase();

/** Accepts the `:id` of a path. */
export const idParams = z.object({ id: z.uuid().toLowerCase() });

/** The body of every error (contract: conventions > Errors). */
export const errorSchema = z
  .object({
    error: z.object({
      code: z
        .string()
        .describe('The code of the error. It is stable, so that clients can branch on it.'),
      message: z.string().describe('A message for people to read. It may change.'),
      field: z.string().describe('The first invalid input, as a dotted path.').optional(),
      details: z
        .unknown()
        .describe('For VALIDATION_FAILED: every invalid input, as `{field, message}`.')
        .optional(),
      requestId: z.string().describe('The id of the request in the logs of the service.'),
    }),
  })
  .meta({
    id: 'Error',
    description: 'The body of every error.',
    examples: [
      {
        error: {
          code: 'LIMIT_EXCEEDED',
          message: 'The amount is outside the limits.',
          requestId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
        },
      },
    ],
  });
