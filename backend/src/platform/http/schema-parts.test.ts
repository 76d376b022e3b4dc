import { expect, it } from 'vitest';
import { z } from 'zod';
import { istDay, istMonth, moment } from './index.ts';

const takenOf = (schema: z.ZodType, texts: readonly string[]) =>
  texts.filter((text) => schema.safeParse(text).success);

const described = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });

it.each<[string, z.ZodType, readonly string[]]>([
  ['a day', istDay, ['2000-01-01', '2100-12-31']],
  ['a month', istMonth, ['2000-01', '2100-12']],
  ['a moment', moment, ['2000-01-01T00:00:00+05:30', '2100-12-31T18:29:59.999Z']],
])('a schema takes %s from 2000 to 2100 in IST', (_what, schema, texts) => {
  expect(takenOf(schema, texts)).toEqual(texts);
});

it.each<[string, z.ZodType, readonly string[]]>([
  ['a day', istDay, ['0000-01-01', '0001-01-01', '1999-12-31', '2101-01-01', '9999-12-31']],
  ['a month', istMonth, ['0000-01', '0001-01', '1999-12', '2101-01', '2026-13', '2026-1']],
  [
    'a moment',
    moment,
    [
      '0000-01-01T00:00:00Z',
      '0000-01-01T00:00:00+23:59',
      '0001-01-01T00:00:00+05:30',
      '1999-12-31T18:29:59.999Z',
      '2100-12-31T18:30:00Z',
      '9999-12-31T23:59:59-23:59',
    ],
  ],
])('a schema refuses %s of other years', (_what, schema, texts) => {
  expect(takenOf(schema, texts)).toEqual([]);
});

it('a schema describes the bounds, and a moment by the text that it is sent as', () => {
  expect(described(istDay.optional())).toMatchObject({
    format: 'date',
    description: 'A date in IST, from 2000-01-01 to 2100-12-31.',
  });
  expect(described(moment.optional())).toMatchObject({
    format: 'date-time',
    description: 'A time from 2000-01-01 to 2100-12-31 in IST.',
  });
});
