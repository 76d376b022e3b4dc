import { paise, toSafePaise } from '../../money/index.ts';
import { sql, type Sql } from '../../platform/db/index.ts';
import {
  mostSamples,
  type Findings,
  type Read,
  type Row,
  type Sample,
} from './reconciliation.types.ts';

export const noFindings: Findings = { count: 0, samples: [] };

/** Converts one value for JSON: the only 64-bit integers are paise, and counts well below. */
const toValue = (value: Row[string]): Sample[string] => {
  if (typeof value === 'bigint') return toSafePaise(paise(value));
  return value instanceof Date ? value.toISOString() : value;
};

/** Converts a row of the database to a sample, without the total count that each row carries. */
export const toSample = (row: Row): Sample => {
  const { total: _, ...shown } = row;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, toValue(value)]));
};

/**
 * Returns what a query finds: `query` selects the faulty rows, with a column `since` (the oldest
 * come first) and weights as text. The database counts all of them and returns the first few.
 */
export const findRows = async (read: Read, query: Sql): Promise<Findings> => {
  const rows = await read<Row & { total: number }>(sql`
    SELECT found.*, (count(*) OVER ())::int AS total
    FROM (${query}) AS found ORDER BY found.since LIMIT ${mostSamples}::int`);
  return {
    count: rows[0]?.total ?? 0,
    samples: rows.map(toSample),
  };
};

/** Merges the findings of parts that don't overlap into those of one check. */
export const mergeFindings = (...parts: readonly Findings[]): Findings => {
  const reasons = parts.flatMap(({ incomplete }) => incomplete ?? []);
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    samples: parts.flatMap(({ samples }) => samples).slice(0, mostSamples),
    ...(reasons.length > 0 && { incomplete: reasons.join('; ') }),
  };
};
