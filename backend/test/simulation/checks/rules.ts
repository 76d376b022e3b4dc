import type { Client } from 'pg';
import { databaseRules } from '../../../src/modules/reconciliation/index.ts';
import { Refuted } from '../story.ts';

/** One statement for all rules: it says which of them have rows. */
const anySql = `SELECT ${databaseRules
  .map(({ sql }, index) => `EXISTS (${sql}) AS r${index}`)
  .join(', ')}`;

/**
 * Holds the database to all of its rules.
 * @throws Refuted naming the first that is broken, with its row
 */
export const holdRules = async (client: Client): Promise<void> => {
  const { rows } = await client.query<Record<string, boolean>>({
    name: 'every-rule',
    text: anySql,
  });
  const first = databaseRules.find((_, index) => rows[0]?.[`r${index}`] === true);
  if (first === undefined) return;
  const { rows: shown } = await client.query(first.sql);
  throw new Refuted(`rule ${first.invariant}: ${first.says}`, JSON.stringify(shown[0]));
};
