import type { RowValues, ComputedRegister } from '../registers/index.ts';
import type { noProviderFigures } from './provider-days.read-model.ts';

/** A day of the list of the provider reconciliation. */
type Day = typeof noProviderFigures & {
  readonly date: string;
  readonly signedOff: { readonly signedAt: string } | null;
};

const sides = ['orders', 'provider', 'differences'] as const;
const figures = [
  ['buys', 'count'],
  ['boughtGrams', 'grams'],
  ['boughtPaise', 'money'],
  ['sells', 'count'],
  ['soldGrams', 'grams'],
  ['soldPaise', 'money'],
] as const;
const house = [
  ['forfeitedGrams', 'grams'],
  ['recoveredGrams', 'grams'],
  ['priceDifferencePaise', 'money'],
] as const;

const nameOf = (group: string, name: string): string =>
  `${group}${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const columns: ComputedRegister['columns'] = [
  { name: 'date', kind: 'date' },
  ...sides.flatMap((side) => figures.map(([name, kind]) => ({ name: nameOf(side, name), kind }))),
  ...house.map(([name, kind]) => ({ name: nameOf('house', name), kind })),
  { name: 'signedAt', kind: 'time' },
];

const valuesOf = (day: Day): RowValues => [
  day.date,
  ...sides.flatMap((side) => figures.map(([name]) => String(day[side][name]))),
  ...house.map(([name]) => String(day.house[name])),
  day.signedOff?.signedAt ?? null,
];

/** Creates the register of the provider reconciliation, with one record for each day. */
export const daysRegister = (readDays: () => Promise<readonly Day[]>): ComputedRegister => ({
  name: 'provider-reconciliation',
  columns,
  readRows: async () => (await readDays()).map(valuesOf),
});
