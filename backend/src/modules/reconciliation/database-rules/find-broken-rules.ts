import type { Client } from 'pg';
import { allocationRules } from './allocation-rules.ts';
import type { DatabaseRule } from './database-rule.ts';
import { effectRules } from './effect-rules.ts';
import { historyRules } from './history-rules.ts';
import { holdingRules } from './holding-rules.ts';
import { moneyRules } from './money-rules.ts';
import { recordRules } from './record-rules.ts';
import { sellRules } from './sell-rules.ts';

/** Everything that the database alone can be held to, for tests and for the demo. */
export const databaseRules: readonly DatabaseRule[] = [
  ...holdingRules,
  ...moneyRules,
  ...allocationRules,
  ...sellRules,
  ...effectRules,
  ...historyRules,
  ...recordRules,
];

/** A rule that does not hold, and the row that shows it. */
export interface BrokenRule extends Pick<DatabaseRule, 'invariant' | 'says'> {
  readonly row: object;
}

/** Every row that breaks a rule; none when all of them hold. Any role that may read can ask. */
export const findBrokenRules = async (client: Client): Promise<BrokenRule[]> => {
  const found: BrokenRule[] = [];
  for (const { invariant, says, sql } of databaseRules) {
    const { rows } = await client.query<object>(sql);
    found.push(...rows.map((row) => ({ invariant, says, row })));
  }
  return found;
};

/** Lets `work` read one state of the database: what moves meanwhile moves whole. */
export const atOneMoment = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await work();
  } finally {
    await client.query('COMMIT');
  }
};
