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

/** Returns the moments at which a period of IST dates begins and ends. */
export const windowOf = ({ from, to }: Period): Window => ({
  from: from === undefined ? undefined : startOfIstDate(from),
  until: to === undefined ? undefined : endOfIstDate(to),
});

/** Converts a sum of paise, or a count, to a number. */
export const asInteger = (text: string): number => toSafePaise(paise(BigInt(text)));

/** Converts a sum of grams to its form in responses. */
export const asGrams = (text: string): string => formatGrams(gramsFromDatabase(text));

/** The SQL of each figure, by the figure's name. */
type Sums = Readonly<Record<string, Sql>>;
type Figure<Name> = Name extends `${string}rams` ? string : number;
type Figures<S extends Sums> = { readonly [Name in keyof S]: Figure<Name> };

/** Matches a `moment` within the window. */
export const isWithin = (moment: Sql, { from, until }: Window): Sql => sql`
  ${from === undefined ? noSql : sql`${moment} >= ${from}::timestamptz AND`}
  ${until === undefined ? sql`true` : sql`${moment} < ${until}::timestamptz`}`;

/**
 * Selects exact sums in one statement. A figure whose name ends in `grams` or `Grams` is a weight.
 * Every other figure is an integer. The sum of no rows is 0.
 */
export const selectFigures = async <S extends Sums>(
  db: Db,
  sums: S,
  from: Sql,
): Promise<Figures<S>> => {
  const names = Object.keys(sums);
  const [first, ...others] = names.map((name) => sql`coalesce(${sums[name]}, 0)::text`);
  invariant(first, 'there is a figure');
  const columns = others.reduce((before, next) => sql`${before}, ${next}`, first);
  const row = await selectOne<{ figures: readonly string[] }>(
    db,
    sql`SELECT ARRAY[${columns}] AS figures ${from}`,
  );
  const figures = names.map((name, index) => {
    const text = row?.figures[index] ?? '0';
    return [name, /grams$/iu.test(name) ? asGrams(text) : asInteger(text)] as const;
  });
  return Object.fromEntries(figures) as Figures<S>; // the names decide the types
};
