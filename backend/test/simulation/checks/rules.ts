import type { Client } from 'pg';
import { databaseRules } from '../../../src/modules/reconciliation/index.ts';
import { Refuted } from '../story.ts';

const tablesIn = (sql: string): readonly string[] => [
  ...new Set([...sql.matchAll(/\b(?:FROM|JOIN)\s+([a-z_]+)\b/gu)].map(([, name = '']) => name)),
];

const named = [...new Set(databaseRules.flatMap(({ sql }) => tablesIn(sql)))];

/** Checks all rules in one statement, which returns the queried rules that have rows. */
const anySql = `SELECT ${databaseRules
  .map(({ sql }, index) => `CASE WHEN $${index + 1}::boolean THEN EXISTS (${sql}) END AS r${index}`)
  .join(', ')}`;

/** Selects the rules to query. */
export interface RuleChoice {
  choose(horizon: string): Promise<readonly boolean[]>;
}

/**
 * Opens the choice of rules. A rule is queried if one of its tables was written, since it cannot be
 * broken otherwise. A rule that also reads a view is always queried.
 */
export const openRuleChoice = async (client: Client): Promise<RuleChoice> => {
  // Planning a statement with so many parts takes longer than running it.
  await client.query('SET plan_cache_mode = force_generic_plan');
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname = ANY($1)`,
    [named],
  );
  const tables = rows.map(({ name }) => name);
  const text = `SELECT ${tables
    .map((table) => `EXISTS (SELECT FROM ${table} WHERE xmin::text::bigint >= $1) AS "${table}"`)
    .join(', ')}`;
  const needs = databaseRules.map(({ sql }) => {
    const read = tablesIn(sql);
    const isView = read.some((name) => name === 'dead_letter_job');
    return isView ? undefined : read.filter((name) => tables.includes(name));
  });
  return {
    async choose(horizon) {
      const answer = await client.query<Record<string, boolean>>({
        name: 'written-tables',
        text,
        values: [horizon],
      });
      const [written = {}] = answer.rows;
      return needs.map((of) => of === undefined || of.some((table) => written[table] === true));
    },
  };
};

const everyRule = databaseRules.map(() => true);

/**
 * Checks the rules of the database, or only the chosen ones.
 * @throws Refuted with the first broken rule and a row of it
 */
export const checkRules = async (
  client: Client,
  chosen: readonly boolean[] = everyRule,
): Promise<void> => {
  const { rows } = await client.query<Record<string, boolean>>({
    name: 'every-rule',
    text: anySql,
    values: [...chosen],
  });
  const first = databaseRules.find((_, index) => rows[0]?.[`r${index}`] === true);
  if (first === undefined) return;
  const { rows: shown } = await client.query(first.sql);
  throw new Refuted(`rule ${first.invariant}: ${first.says}`, JSON.stringify(shown[0]));
};
