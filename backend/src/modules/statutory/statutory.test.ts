import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { gstRateBpsOn } from './index.ts';

let system: TestSystem;

beforeAll(async () => {
  system = await openTestSystem();
});

afterAll(async () => system.close());

const put = (key: string, value: string, effectiveFrom: string) =>
  system.db.statutoryParameter.create({
    data: {
      id: system.random.uuid(),
      key,
      value,
      effectiveFrom: new Date(effectiveFrom),
      createdAt: system.clock.now(),
    },
  });

const rateAt = (moment: string) => gstRateBpsOn(system.db, new Date(moment));

it('the GST rate is 3 % if no row has another rate', async () => {
  expect(await rateAt('2026-01-05T04:00:00Z')).toBe(300n);
  expect(await rateAt('1999-12-31T00:00:00Z')).toBe(300n);
});

it('the GST rate changes on the Indian day on which a row takes effect', async () => {
  await put('gst_rate_bps', '500', '2026-07-01');
  await put('tds_rate_bps', '100', '2026-07-01');
  expect(await rateAt('2026-06-30T18:29:59.999Z')).toBe(300n);
  expect(await rateAt('2026-06-30T18:30:00.000Z')).toBe(500n);
  expect(await rateAt('2026-07-01T12:00:00Z')).toBe(500n);
});

it('the GST rate is that of the newest row in force, whatever the order of writing', async () => {
  await put('gst_rate_bps', '0', '2027-04-01');
  await put('gst_rate_bps', '1800', '2026-10-01');
  expect(await rateAt('2026-09-30T18:00:00Z')).toBe(500n);
  expect(await rateAt('2027-03-31T18:00:00Z')).toBe(1800n);
  expect(await rateAt('2027-03-31T18:30:00Z')).toBe(0n);
});

it('the GST rate cannot be an invalid value', async () => {
  await expect(put('gst_rate_bps', '3%', '2028-01-01')).rejects.toThrow(/gst_check/u);
  expect(await rateAt('2027-12-31T19:00:00Z')).toBe(0n);
  await expect(put('gst_rate_bps', '-5', '2028-01-01')).rejects.toThrow(/gst_check/u);
});
