import type { Client } from 'pg';
import type { Connections } from '../../../platform/db/index.ts';
import { describeError, type Logger } from '../../../platform/observability/index.ts';
import { maxSamples, type Sample } from '../reconciliation.types.ts';
import type { DatabaseRule } from './database-rule.ts';
import { readDrift, type Drift } from './drift.ts';
import { databaseRules } from './find-broken-rules.ts';

/** The findings of one run of a rule. */
interface RuleResult {
  readonly invariant: number;
  readonly says: string;
  readonly status: 'OK' | 'FINDINGS' | 'ERROR';
  readonly count: number;
  readonly samples: readonly Sample[];
}

/**
 * The findings of the database's rules, and the differences between its totals of money and gold.
 */
export interface RulesReport {
  readonly rules: readonly RuleResult[];
  readonly drift: readonly Drift[];
}

/** Checks every rule, and calls `onRule` after each. */
export type CheckRules = (onRule?: () => Promise<void>) => Promise<RulesReport>;

/**
 * The time limit of a rule in ms. It is long because a rule reads whole tables, and no request
 * waits for a nightly run.
 */
const statementMs = 20 * 60_000;
const longestText = 200;

/** Returns the columns that identify a row for an operator. Nested values are omitted. */
const toSample = (row: object): Sample => {
  const sample: Record<string, Sample[string]> = {};
  for (const [name, value] of Object.entries<unknown>({ ...row })) {
    if (typeof value === 'string') sample[name] = value.slice(0, longestText);
    else if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
      sample[name] = value;
    }
  }
  return sample;
};

/**
 * Begins a read-only transaction. Its settings are local to it, because behind a pooler another
 * client may use the session next.
 */
const begin = `
  BEGIN READ ONLY;
  SET LOCAL TimeZone = 'UTC';
  SET LOCAL statement_timeout = ${statementMs}`;

const readOnly = async <T>(client: Client, read: () => Promise<T>): Promise<T> => {
  try {
    await client.query(begin);
    const found = await read();
    await client.query('COMMIT');
    return found;
  } catch (error) {
    // If the connection was lost, the server has rolled back already.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
};

const checkRule = async (client: Client, rule: DatabaseRule): Promise<Omit<RuleResult, 'says'>> => {
  const { invariant, sql } = rule;
  const { rows } = await client.query<{ row: object; found: number }>(
    `SELECT to_jsonb(b) AS row, (count(*) OVER ())::int AS found
     FROM (${sql}) AS b LIMIT ${maxSamples}`,
  );
  const count = rows[0]?.found ?? 0;
  const samples = rows.map(({ row }) => toSample(row));
  return { invariant, status: count === 0 ? 'OK' : 'FINDINGS', count, samples };
};

/**
 * Creates the check of every rule over the whole database, on a separate connection. Each rule is
 * one statement, so it sees one snapshot. A rule that can't be checked has the status ERROR, never OK.
 */
export const createCheckRules =
  (deps: {
    readonly connections: Pick<Connections, 'createClient'>;
    readonly logger: Pick<Logger, 'error'>;
  }): CheckRules =>
  async (onRule) => {
    const client = deps.connections.createClient('database-rules', {
      query_timeout: statementMs + 5000,
    });
    // A lost connection also rejects the running statement, whose error is logged below.
    client.on('error', () => {});
    await client.connect();
    try {
      const rules: RuleResult[] = [];
      for (const rule of databaseRules) {
        const { invariant, says } = rule;
        try {
          rules.push({ ...(await readOnly(client, () => checkRule(client, rule))), says });
        } catch (error) {
          deps.logger.error({ says, err: describeError(error) }, 'a rule could not be checked');
          rules.push({ invariant, says, status: 'ERROR', count: 0, samples: [] });
        }
        await onRule?.();
      }
      return { rules, drift: await readOnly(client, () => readDrift(client)) };
    } finally {
      void client.end().catch(() => {});
    }
  };
