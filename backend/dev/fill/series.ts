/** A run of orders to fill a database with. */
export interface Series {
  /** The number of the run, 1 to 15: part of every id, so that runs do not share rows. */
  readonly series: number;
  readonly orders: number;
  readonly users: number;
  /** The orders lie evenly between these two moments. */
  readonly from: Date;
  readonly to: Date;
}

/** Kinds of rows, as the ids contain them. */
const rowKinds = {
  user: '01',
  kyc: '02',
  bank: '03',
  plan: '04',
  quote: '05',
  order: '06',
  paymentOrder: '07',
  gatewayAttempt: '08',
  gatewayPayment: '09',
  failedPayment: '0a',
  paymentEvent: '0b',
  failedEvent: '0c',
  payoutEvent: '0d',
  verify: '0e',
  confirm: '0f',
  payout: '10',
  payoutAttempt: '11',
  payoutRetry: '12',
  orderEvent: '13',
  movement: '14',
  notice: '15',
  payoutNotice: '16',
  productOrder: '17',
  productLine: '18',
  productEvent: '19',
} as const;
type RowKind = keyof typeof rowKinds;

/** The SQL terms of which every statement of a series is made. */
export interface SqlTerms extends Series {
  /** The id of row `number` of a kind, in the form of a UUIDv7. */
  readonly id: (kind: RowKind, number: string) => string;
  /** A text that no other series has. */
  readonly name: (prefix: string, number: string) => string;
  /** A number from 0 to `below` - 1 that looks random, always the same for `number`. */
  readonly pick: (number: string, seed: number, below: string) => string;
  readonly fromSql: string;
  /** The length of the series in seconds. */
  readonly seconds: number;
}

const hex = (series: number): string => series.toString(16).padStart(2, '0');

/** Returns the SQL terms of a series. */
export const sqlTermsOf = (given: Series): SqlTerms => ({
  ...given,
  id: (kind, number) =>
    `('0180${rowKinds[kind]}${hex(given.series)}-0000-7000-8000-' ||
      lpad(to_hex(${number}), 12, '0'))::uuid`,
  name: (prefix, number) => `('${prefix}f${given.series}_' || (${number}))`,
  pick: (number, seed, below) =>
    `((hashint8((${number}) * 31 + ${seed}) & 2147483647) % (${below}))`,
  fromSql: `'${given.from.toISOString()}'::timestamptz`,
  seconds: Math.floor((given.to.getTime() - given.from.getTime()) / 1000),
});

export const mostSeries = 15;

/**
 * Selects the database's time and the highest series that it was filled with, from customers' ids.
 */
export const highestSeries = `
  SELECT now(), (SELECT max(substr(id::text, 7, 2)) FROM app_user
    WHERE id >= '0180${rowKinds.user}00-0000-7000-8000-000000000000'
      AND id < '0180${rowKinds.user}ff-0000-7000-8000-000000000000') AS highest`;

/** Returns the series after the highest, in hexadecimal. @throws Error when all were used */
export const nextSeries = (highest: string | null): number => {
  const next = Number.parseInt(highest ?? '0', 16) + 1;
  if (next > mostSeries) throw new Error(`filled ${mostSeries} times already: "make reset" first`);
  return next;
};
