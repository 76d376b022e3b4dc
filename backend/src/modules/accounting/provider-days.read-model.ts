import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDate, istDate, startOfIstDate } from '../../platform/clock/ist.ts';
import { formatGrams, gramsFromDatabase, paise, toSafePaise, addGrams } from '../../money/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';

/** The sums of purchases from the provider and sales to the provider, by one of the two books. */
interface SideFigures {
  readonly buys: number;
  readonly boughtGrams: string;
  readonly boughtPaise: number;
  readonly sells: number;
  readonly soldGrams: string;
  readonly soldPaise: number;
}

/** The provider reconciliation of one IST day or of several days. */
interface ProviderFigures {
  readonly orders: SideFigures;
  readonly provider: SideFigures;
  /** The orders' figures, less those of the provider's operations. */
  readonly differences: SideFigures;
  readonly house: {
    readonly forfeitedGrams: string;
    readonly recoveredGrams: string;
    readonly priceDifferencePaise: number;
  };
}

/** IST dates, both included. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

interface Row {
  readonly day: string;
  readonly name: string;
  readonly value: string;
}

type Sums = ReadonlyMap<string, string>;

const dayMs = 24 * 60 * 60_000;

/** Lists the IST dates of a range, newest first. */
export const listDates = ({ from, to }: DateRange): string[] => {
  const dates: string[] = [];
  for (let at = startOfIstDate(to); at >= startOfIstDate(from); at = addMs(at, -dayMs)) {
    dates.push(istDate(at));
  }
  return dates;
};

const integerOf = (sums: Sums, name: string): number =>
  toSafePaise(paise(BigInt(sums.get(name) ?? '0')));
const gramsOf = (sums: Sums, name: string): string =>
  formatGrams(gramsFromDatabase(sums.get(name) ?? '0'));

const sideOf = (sums: Sums, side: string): SideFigures => ({
  buys: integerOf(sums, `${side}.buys`),
  boughtGrams: gramsOf(sums, `${side}.boughtGrams`),
  boughtPaise: integerOf(sums, `${side}.boughtPaise`),
  sells: integerOf(sums, `${side}.sells`),
  soldGrams: gramsOf(sums, `${side}.soldGrams`),
  soldPaise: integerOf(sums, `${side}.soldPaise`),
});

const figuresOf = (sums: Sums): ProviderFigures => ({
  orders: sideOf(sums, 'orders'),
  provider: sideOf(sums, 'provider'),
  differences: sideOf(sums, 'difference'),
  house: {
    forfeitedGrams: gramsOf(sums, 'house.forfeitedGrams'),
    recoveredGrams: gramsOf(sums, 'house.recoveredGrams'),
    priceDifferencePaise: integerOf(sums, 'house.priceDifferencePaise'),
  },
});

/** The figures of a day without orders and operations. All of them are 0. */
export const noProviderFigures: ProviderFigures = figuresOf(new Map());

const istDayOf = sql`to_char(x.at + interval '330 minutes', 'YYYY-MM-DD')`;

/**
 * Selects the sums by day. An operation of the provider belongs to the day on which its order was
 * allocated or confirmed. If the order was neither, the operation belongs to the day on which it
 * settled, and causes a difference.
 */
const selectSums = (db: Db, { from, to }: DateRange): Promise<Row[]> => {
  const [start, end] = [
    sql`${startOfIstDate(from)}::timestamptz`,
    sql`${endOfIstDate(to)}::timestamptz`,
  ];
  return selectRows<Row>(
    db,
    sql`
      WITH x AS (
        SELECT 'orders' AS side, type <> 'SELL' AS bought, coalesce(allocated_at, created_at) AS at,
          1 AS n, grams, provider_amount_paise AS amount, price_difference_paise AS extra
        FROM gold_order
        WHERE type <> 'SELL' AND allocated_at IS NOT NULL
          AND coalesce(allocated_at, created_at) >= ${start}
          AND coalesce(allocated_at, created_at) < ${end}
        UNION ALL
        SELECT 'orders', false, coalesce(confirmed_at, created_at), 1, grams,
          provider_amount_paise, NULL
        FROM gold_order
        WHERE type = 'SELL' AND confirmed_at IS NOT NULL
          AND coalesce(confirmed_at, created_at) >= ${start}
          AND coalesce(confirmed_at, created_at) < ${end}
        UNION ALL
        SELECT 'provider', p.operation = 'buy-confirm',
          coalesce(o.allocated_at, o.confirmed_at, p.settled_at), 1, p.grams, p.amount_paise, NULL
        FROM provider_operation p JOIN gold_order o ON o.id = p.order_id
        WHERE p.status = 'DONE' AND p.operation IN ('buy-confirm', 'sell-confirm')
          AND p.settled_at >= ${start} - interval '1 day'
          AND p.settled_at < ${end} + interval '1 day'
          AND coalesce(o.allocated_at, o.confirmed_at, p.settled_at) >= ${start}
          AND coalesce(o.allocated_at, o.confirmed_at, p.settled_at) < ${end}
      ), sums AS (
        SELECT ${istDayOf} AS day, side,
          count(*) FILTER (WHERE bought) AS buys,
          coalesce(sum(grams) FILTER (WHERE bought), 0) AS bought_grams,
          coalesce(sum(amount) FILTER (WHERE bought), 0) AS bought,
          count(*) FILTER (WHERE NOT bought) AS sells,
          coalesce(sum(grams) FILTER (WHERE NOT bought), 0) AS sold_grams,
          coalesce(sum(amount) FILTER (WHERE NOT bought), 0) AS sold,
          coalesce(sum(extra), 0) AS extra
        FROM x GROUP BY 1, side
      ), house AS (
        SELECT ${istDayOf} AS day,
          coalesce(sum(-grams) FILTER (WHERE kind = 'FORFEITED'), 0) AS forfeited,
          coalesce(sum(-grams) FILTER (WHERE kind = 'RECOVERED'), 0) AS recovered
        FROM holding_movement x
        WHERE kind IN ('FORFEITED', 'RECOVERED') AND at >= ${start} AND at < ${end} GROUP BY 1
      ), signed AS (
        SELECT day, side, 1 AS sign, buys, bought_grams, bought, sells, sold_grams, sold FROM sums
        UNION ALL
        SELECT day, 'difference', CASE side WHEN 'orders' THEN 1 ELSE -1 END,
          buys, bought_grams, bought, sells, sold_grams, sold FROM sums
      )
      SELECT day, side || '.' || v.name AS name, sum(sign * v.value)::text AS value
      FROM signed, LATERAL (VALUES ('buys', buys), ('boughtGrams', bought_grams),
        ('boughtPaise', bought), ('sells', sells), ('soldGrams', sold_grams), ('soldPaise', sold)
      ) AS v (name, value) GROUP BY 1, 2
      UNION ALL SELECT day, 'house.priceDifferencePaise', extra::text FROM sums
        WHERE side = 'orders'
      UNION ALL SELECT day, 'house.forfeitedGrams', forfeited::text FROM house
      UNION ALL SELECT day, 'house.recoveredGrams', recovered::text FROM house`,
  );
};

/**
 * Reads the figures of the days of a range, by date. Days without figures are absent. One statement
 * reads all of them, so they are of one snapshot.
 */
export const readProviderDays = async (
  db: Db,
  range: DateRange,
): Promise<ReadonlyMap<string, ProviderFigures>> => {
  const days = new Map<string, Map<string, string>>();
  for (const { day, name, value } of await selectSums(db, range)) {
    const sums = days.get(day) ?? new Map<string, string>();
    days.set(day, sums.set(name, value));
  }
  return new Map([...days].map(([day, sums]) => [day, figuresOf(sums)]));
};

const addGramTexts = (a: string, b: string): string =>
  formatGrams(addGrams(gramsFromDatabase(a), gramsFromDatabase(b)));

const addSides = (a: SideFigures, b: SideFigures): SideFigures => ({
  buys: a.buys + b.buys,
  boughtGrams: addGramTexts(a.boughtGrams, b.boughtGrams),
  boughtPaise: a.boughtPaise + b.boughtPaise,
  sells: a.sells + b.sells,
  soldGrams: addGramTexts(a.soldGrams, b.soldGrams),
  soldPaise: a.soldPaise + b.soldPaise,
});

/** Adds up the figures of days. */
export const addProviderFigures = (days: Iterable<ProviderFigures>): ProviderFigures => {
  let total = noProviderFigures;
  for (const day of days) {
    total = {
      orders: addSides(total.orders, day.orders),
      provider: addSides(total.provider, day.provider),
      differences: addSides(total.differences, day.differences),
      house: {
        forfeitedGrams: addGramTexts(total.house.forfeitedGrams, day.house.forfeitedGrams),
        recoveredGrams: addGramTexts(total.house.recoveredGrams, day.house.recoveredGrams),
        priceDifferencePaise: total.house.priceDifferencePaise + day.house.priceDifferencePaise,
      },
    };
  }
  return total;
};
