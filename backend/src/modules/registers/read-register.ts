import { selectOne, selectRows, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { asInteger } from './period-figures.ts';
import { presentRow, presentTotals } from './present-row.ts';
import { rowsSql, totalsSql } from './register-sql.ts';
import type { Register, RegisterFilter, RowValues } from './registers.types.ts';

type Named = Readonly<Record<string, string | null>>;
const valuesOf = (row: Named): RowValues => Object.keys(row).map((_, at) => row[`c${at}`] ?? null);

/**
 * Reads a page of a register and the sums of its whole filter, in a transaction of one moment: the
 * sums are those of exactly the rows that the pages show.
 */
export const readRegister = async (
  tx: Db,
  register: Register,
  filter: RegisterFilter,
  page: Page,
) => {
  const totals = await selectOne<Named>(tx, totalsSql(register, filter));
  invariant(totals, 'a sum has a row');
  const sums = valuesOf(totals);
  const total = asInteger(sums[0] ?? '0');
  const offset = offsetOf(page);
  // Behind the last page there is nothing to read.
  const rows =
    offset >= total
      ? []
      : await selectRows<Named>(tx, rowsSql(register, filter, { limit: page.limit, offset }));
  return {
    items: rows.map((row) => presentRow(register.columns, valuesOf(row))),
    total,
    page: page.page,
    limit: page.limit,
    totals: presentTotals(register, sums),
  };
};
