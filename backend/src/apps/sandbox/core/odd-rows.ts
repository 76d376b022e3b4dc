import type { Call } from './collaborator.ts';

/*
 * Rows that the sandbox's lists always contain, in addition to those of the queried object: of
 * another object, in undocumented states, and without amounts. Vendors' lists contain such rows,
 * and a reader of lists must cope with them.
 */

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns an odd row. It has the fields of `identity`, no amount, no time and an unknown status.
 */
export const oddRow = (
  identity: Row,
  names: { readonly amount: string; readonly status: string; readonly time: string },
): Row => ({ ...identity, [names.amount]: null, [names.status]: 'on_the_moon', [names.time]: '' });

const listNames = ['items', 'transactions', 'workflow_runs'] as const;

/**
 * Returns the rows of an answer that is a list, and a function that returns the answer with other
 * rows. Returns undefined for an answer that is not a list.
 */
export const rowsIn = (
  body: unknown,
): { rows: readonly unknown[]; replace: (rows: readonly unknown[]) => unknown } | undefined => {
  if (Array.isArray(body)) return { rows: body, replace: (rows) => rows };
  if (typeof body !== 'object' || body === null) return undefined;
  for (const name of listNames) {
    const rows: unknown = Reflect.get(body, name);
    if (Array.isArray(rows)) return { rows, replace: (others) => ({ ...body, [name]: others }) };
  }
  return undefined;
};

/** Returns a list that begins with the odd rows for which the requested page has room. */
export const withOddRows = (body: unknown, odd: readonly Row[], { query }: Call): unknown => {
  const list = rowsIn(body);
  if (list === undefined) return body;
  const maxRows = Number(query.get('count') ?? query.get('per_page') ?? Number.MAX_SAFE_INTEGER);
  const room = Math.max(0, maxRows - list.rows.length);
  return list.replace([...odd.slice(0, room), ...list.rows]);
};
