import type { Invariant } from './invariant.ts';

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

/** What may never be changed, and what may never be written (architecture, section 4: 10, 11). */
export const recordInvariants: readonly Invariant[] = [
  {
    name: "the application's role can't change or delete what is append-only",
    sql: `
      SELECT format('dgs_app may %s %s', lower(p.name), t.name) AS breach
      FROM (VALUES ${appendOnlyRows}) AS t (name),
        (VALUES ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS p (name)
      WHERE has_table_privilege('dgs_app', t.name, p.name)`,
  },
  {
    name: 'no audit row and no event holds a PAN or an Aadhaar in clear',
    sql: `
      SELECT format('%s %s', place, id) AS breach
      FROM (
        SELECT 'audit row' AS place, id, concat(before::text, after::text) AS words FROM audit_log
        UNION ALL
        SELECT 'event of an order', id, detail::text FROM gold_order_event) AS rows
      WHERE words ~ '\\m[A-Z]{5}[0-9]{4}[A-Z]\\M' OR words ~ '(?<![0-9A-Fa-f-])[0-9]{12}(?![0-9A-Fa-f])'`,
  },
];
