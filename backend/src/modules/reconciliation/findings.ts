import { paise, toSafePaise } from '../../money/index.ts';
import { sql, type Sql } from '../../platform/db/index.ts';
import {
  maxSamples,
  type Findings,
  type Read,
  type Row,
  type Sample,
} from './reconciliation.types.ts';

export const noFindings: Findings = { count: 0, samples: [] };

/** Converts one value for JSON. A 64-bit integer is an amount in paise, or a smaller count. */
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
 * Finds the faulty rows that `query` selects. The database counts all of them and returns the first
 * few, oldest first. `query` must select a column `since`, and weights as text.
 */
export const findRows = async (read: Read, query: Sql): Promise<Findings> => {
  const rows = await read<Row & { total: number }>(sql`
    SELECT found.*, (count(*) OVER ())::int AS total
    FROM (${query}) AS found ORDER BY found.since LIMIT ${maxSamples}::int`);
  return {
    count: rows[0]?.total ?? 0,
    samples: rows.map(toSample),
  };
};

/** Merges the findings of the parts of one check. A fault must be in one part only. */
export const mergeFindings = (...parts: readonly Findings[]): Findings => {
  const reasons = parts.flatMap(({ incomplete }) => incomplete ?? []);
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    samples: parts.flatMap(({ samples }) => samples).slice(0, maxSamples),
    ...(reasons.length > 0 && { incomplete: reasons.join('; ') }),
  };
};
