import type { Client } from 'pg';
import type { DatabaseRule } from './database-rule.ts';
import { allocationRules, holdingRules, recoveryRules, sellRules } from './gold-rules.ts';
import { moneyRules } from './money-rules.ts';
import { planRules } from './plan-rules.ts';
import { productOrderRules } from './product-order-rules.ts';
import { effectRules, historyRules, recordRules } from './record-rules.ts';

/** Every rule that can be checked with the database alone. Tests and the demo check all of them. */
export const databaseRules: readonly DatabaseRule[] = [
  ...holdingRules,
  ...moneyRules,
  ...allocationRules,
  ...recoveryRules,
  ...sellRules,
  ...effectRules,
  ...historyRules,
  ...recordRules,
  ...productOrderRules,
  ...planRules,
];

/** The numbers of the invariants that have rules. */
export const invariantNumbers: readonly number[] = [
  ...new Set(databaseRules.map(({ invariant }) => invariant)),
].toSorted((a, b) => a - b);

/** A row that breaks a rule, with the rule. */
interface BrokenRule extends Pick<DatabaseRule, 'invariant' | 'says'> {
  readonly row: object;
}

/**
 * Returns every row that breaks a rule. Any database role that may read can run it. With
 * `keepsPlans` the connection keeps the plans of its statements for the next run. This does not work
 * behind a pooler in transaction mode.
 */
export const findBrokenRules = async (
  client: Client,
  { keepsPlans = false }: { readonly keepsPlans?: boolean } = {},
): Promise<BrokenRule[]> => {
  const found: BrokenRule[] = [];
  for (const [index, { invariant, says, sql }] of databaseRules.entries()) {
    const named = keepsPlans ? { name: `database-rule-${index}` } : {};
    const { rows } = await client.query<object>({ ...named, text: sql });
    found.push(...rows.map((row) => ({ invariant, says, row })));
  }
  return found;
};

/**
 * Runs `work` on one snapshot of the database. Its statements see a concurrent transaction entirely
 * or not at all.
 */
export const atOneMoment = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await work();
  } finally {
    await client.query('COMMIT');
  }
};
