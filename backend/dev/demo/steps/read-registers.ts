import { istDate } from '../../../src/platform/clock/ist.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { signInStaff } from './visit-accounting.ts';

/** Returns the IST day of a time that an API answered. */
export const istDayOf = (time: string): string => istDate(new Date(time));

/** Exports the day's purchases; returns the lines of the file. */
const exportDay = async (
  demo: Demo,
  headers: Readonly<Record<string, string>>,
  day: string,
): Promise<string[]> => {
  const query = `from=${day}&to=${day}&format=csv`;
  const url = `${demo.endpoints.accounting}/api/v1/accounting/gold/buys?${query}`;
  const answer = await demo.network.fetch(new Request(url, { headers }));
  expectThat(answer.status === 200, `the file answers ${answer.status}`);
  const lines = (await answer.text()).trimEnd().split('\r\n');
  const counted = answer.headers.get('x-total-rows');
  expectThat(`${lines.length - 1}` === counted, `${counted} rows were announced`);
  return lines;
};

/** The day's purchases as a register and as a file; who may not export is refused, on record. */
export const readRegisters: Step = {
  title: 'The accountant reads the register of the day and exports it',
  async run(demo) {
    const { order } = demo.readState('buy');
    const day = istDayOf(order.created_at);
    const { staff, headers } = await signInStaff(demo, 'accountant');
    const whole = { from: day, to: day };
    const { body } = await staff.get('/api/v1/accounting/gold/buys', { query: whole });
    const { body: found } = await staff.get('/api/v1/accounting/gold/buys', {
      query: { ...whole, q: order.id },
    });
    const [row] = found.items;
    expectThat(found.total === 1 && row?.status === 'ALLOCATED', 'the buy is not in the register');
    const lines = await exportDay(demo, headers, day);
    expectThat(
      lines.some((line) => line.includes(order.id)),
      'the buy is not in the file',
    );

    const viewer = await signInStaff(demo, 'viewer');
    await viewer.staff.get('/api/v1/accounting/gold/buys', { query: whole });
    const file = { ...whole, format: 'csv' };
    const refused = viewer.staff.get('/api/v1/accounting/gold/buys', { query: file });
    await expectRefusal(403, 'PERMISSION_DENIED', refused);
    const { amountPaise, gstPaise } = body.totals;
    return [
      `${day}: ${body.total} purchases of ${showPaise(amountPaise)}, ${showPaise(gstPaise)} GST`,
      `exported as CSV: ${lines.length - 1} rows`,
      'a viewer reads the register, and is refused its file: 403 PERMISSION_DENIED',
    ];
  },
};
