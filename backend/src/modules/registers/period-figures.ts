import { endOfIstDate, startOfIstDate } from '../../platform/clock/ist.ts';
import { formatGrams, gramsFromDatabase, paise, toSafePaise } from '../../money/index.ts';
import { noSql, selectOne, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Window } from './registers.types.ts';

/** IST dates (`YYYY-MM-DD`), both included. A missing one leaves that end open. */
export interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns the moments that a period of IST dates begins and ends at. */
export const windowOf = ({ from, to }: Period): Window => ({
  from: from === undefined ? undefined : startOfIstDate(from),
  until: to === undefined ? undefined : endOfIstDate(to),
});

/** A sum of paise, or a number of things. */
export const asInteger = (text: string): number => toSafePaise(paise(BigInt(text)));

/** A sum of grams in its wire form. */
export const asGrams = (text: string): string => formatGrams(gramsFromDatabase(text));

/** Each figure by its name, as SQL. The names say how it is shown. */
type Sums = Readonly<Record<string, Sql>>;
type Figure<Name> = Name extends `${string}rams` ? string : number;
type Figures<S extends Sums> = { readonly [Name in keyof S]: Figure<Name> };

/** Restricts `moment` to the window. */
export const isWithin = (moment: Sql, { from, until }: Window): Sql => sql`
  ${from === undefined ? noSql : sql`${moment} >= ${from}::timestamptz AND`}
  ${until === undefined ? sql`true` : sql`${moment} < ${until}::timestamptz`}`;

/**
 * Selects sums in one statement, exactly. A figure whose name ends in `grams` or `Grams` is a
 * weight, any other an integer. The sum of nothing is zero.
 */
export const selectFigures = async <S extends Sums>(
  db: Db,
  sums: S,
  from: Sql,
): Promise<Figures<S>> => {
  const names = Object.keys(sums);
  const list = names.map((name) => sql`coalesce(${sums[name]}, 0)::text`);
  const [first, ...others] = list;
  invariant(first, 'there is a figure');
  const columns = others.reduce((before, next) => sql`${before}, ${next}`, first);
  const row = await selectOne<{ figures: readonly string[] }>(
    db,
    sql`SELECT ARRAY[${columns}] AS figures ${from}`,
  );
  const shown = names.map((name, at) => {
    const text = row?.figures[at] ?? '0';
    return [name, /grams$/iu.test(name) ? asGrams(text) : asInteger(text)] as const;
  });
  return Object.fromEntries(shown) as Figures<S>; // by the names
};
