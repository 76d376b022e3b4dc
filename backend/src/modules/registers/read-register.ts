import { selectOne, selectRows, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { asInteger } from './period-figures.ts';
import { presentRow, presentTotals } from './present-row.ts';
import { rowsSql, totalsSql } from './register-sql.ts';
import type { Register, RegisterFilter, RowValues } from './registers.types.ts';

type NamedRow = Readonly<Record<string, string | null>>;
const valuesOf = (row: NamedRow): RowValues =>
  Object.keys(row).map((_, index) => row[`c${index}`] ?? null);

/**
 * Reads a page of a register and the sums of all rows that match the filter. The transaction must
 * read one snapshot, so that the page and the sums agree.
 */
export const readRegister = async (
  tx: Db,
  register: Register,
  filter: RegisterFilter,
  page: Page,
) => {
  const totals = await selectOne<NamedRow>(tx, totalsSql(register, filter));
  invariant(totals, 'a sum has a row');
  const sums = valuesOf(totals);
  const total = asInteger(sums[0] ?? '0');
  const offset = offsetOf(page);
  // After the last page there are no rows to read.
  const rows =
    offset >= total
      ? []
      : await selectRows<NamedRow>(tx, rowsSql(register, filter, { limit: page.limit, offset }));
  return {
    items: rows.map((row) => presentRow(register.columns, valuesOf(row))),
    total,
    page: page.page,
    limit: page.limit,
    totals: presentTotals(register, sums),
  };
};
