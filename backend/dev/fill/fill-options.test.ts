import { expect, it } from 'vitest';
import { readFillOptions, spanBefore } from './fill-options.ts';

it('the fill takes a fifth as many customers, over two years, unless told otherwise', () => {
  expect(readFillOptions({ ORDERS: '2000' })).toEqual({ orders: 2000, users: 400, days: 730 });
  expect(readFillOptions({ ORDERS: '2000', USERS: '50', DAYS: '10' })).toEqual({
    orders: 2000,
    users: 50,
    days: 10,
  });
});

it('the fill ends before the longest window of a reconciliation report', () => {
  const span = spanBefore(new Date('2026-03-01T00:00:00Z'), { days: 1 });
  expect(span).toEqual({
    from: new Date('2026-01-28T00:00:00Z'),
    to: new Date('2026-01-29T00:00:00Z'),
  });
});

it.each(['0', '-1', 'many', '1.5'])('refuses %s orders', (given) => {
  expect(() => readFillOptions({ ORDERS: given })).toThrow('ORDERS must be a whole number');
});

it('the fill refuses production, whatever else is asked for', () => {
  expect(() => readFillOptions({ APP_MODE: 'production', ORDERS: '10' })).toThrow('refused');
});
