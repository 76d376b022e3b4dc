import { Prisma } from '../../generated/prisma/client.ts';
import { paise, toSafePaise } from '../../money/index.ts';
import { mostSamples, type Findings, type Read, type Row } from './reconciliation.types.ts';
import type { Sample } from './reconciliation.types.ts';

/** One value for JSON: the only 64-bit integers among them are paise, and counts well below. */
const toValue = (value: Row[string]): Sample[string] => {
  if (typeof value === 'bigint') return toSafePaise(paise(value));
  return value instanceof Date ? value.toISOString() : value;
};

/** A row of the database as a sample; the count of all rows beside it is left out. */
export const toSample = (row: Row & { readonly total: number }): Sample => {
  const { total: _, ...shown } = row;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, toValue(value)]));
};

/**
 * What a question finds: `sql` selects the faulty rows, with a column `since` (the oldest come
 * first) and weights as text. The database counts all of them and hands over the first few.
 */
export const findRows = async (read: Read, sql: Prisma.Sql): Promise<Findings> => {
  const rows = await read<Row & { total: number }>(Prisma.sql`
    SELECT found.*, (count(*) OVER ())::int AS total
    FROM (${sql}) AS found ORDER BY found.since LIMIT ${mostSamples}::int`);
  return {
    count: rows[0]?.total ?? 0,
    samples: rows.map(toSample),
  };
};
