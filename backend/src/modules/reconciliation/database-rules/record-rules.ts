import type { DatabaseRule } from './database-rule.ts';

const appendOnly = [
  'audit_log',
  'gold_order_event',
  'holding_movement',
  'statutory_parameter',
  'policy_determination',
  'reconciliation_sign_off',
  'month_end_close',
];

const appendOnlyRows = appendOnly.map((table) => `('${table}')`).join(', ');

/** What may never be written, and what may never be changed. */
export const recordRules: readonly DatabaseRule[] = [
  {
    invariant: 10,
    says: 'no audit row and no event of an order holds a PAN or an Aadhaar in clear',
    sql: `
      SELECT place, id FROM (
        SELECT 'audit_log' AS place, id, concat(before::text, after::text) AS words FROM audit_log
        UNION ALL
        SELECT 'gold_order_event', id, detail::text FROM gold_order_event) AS rows
      WHERE words ~ '\\m[A-Z]{5}[0-9]{4}[A-Z]\\M'
        OR words ~ '(?<![0-9A-Fa-f-])[0-9]{12}(?![0-9A-Fa-f])'`,
  },
  {
    invariant: 11,
    says: "the application's role can't change or delete what is append-only",
    sql: `
      SELECT t.name, p.name AS may FROM (VALUES ${appendOnlyRows}) AS t (name),
        (VALUES ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS p (name)
      WHERE has_table_privilege('dgs_app', t.name, p.name)`,
  },
];
