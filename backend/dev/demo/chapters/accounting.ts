import { ApiError } from '@digital-gold/client';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { istDate } from '../../../src/platform/clock/ist.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { signInStaff } from '../people.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';

const me = '/api/v1/accounting/auth/me';

/** Checks that the refusal of a request, which is found by its id, is in the audit log. */
const expectRefusalOnRecord = async (demo: Demo, requestId: string): Promise<void> => {
  const query = { action: 'accounting.refused', limit: 100 };
  const { body } = await demo.readState('operator').api.get('/v1/audit', { query });
  const row = body.items.find((item) => item.requestId === requestId);
  expectThat(row?.outcome === 'REFUSED', 'the refusal is not in the audit log');
};

/** The accounting API has its own credential and staff, and refuses a customer's token. */
export const visitAccounting: Step = {
  title: 'An accountant signs in at the accounting API',
  async run(demo) {
    const { visitor, staff } = await signInStaff(demo, 'accountant');
    const { body: user } = await staff.get(me);
    expectThat(user.role === 'accountant', `the role is ${user.role}`);

    const requestId = `demo-${demo.random.uuid()}`;
    const { accessToken } = demo.readState('customer');
    const headers = { 'x-portal-token': accessToken, 'x-request-id': requestId };
    const intruder = visitor.with({ token: accessToken, headers });
    await expectRefusal(401, 'UNAUTHENTICATED', intruder.get(me));
    await expectRefusalOnRecord(demo, requestId);

    await expectStatus(204, staff.post('/api/v1/accounting/auth/logout'));
    await expectRefusal(401, 'UNAUTHENTICATED', staff.get(me));
    return [
      `${user.email} (${user.role}) with ${user.permissions.length} permissions, signs out again`,
      "a customer's token is refused: 401 UNAUTHENTICATED, and the audit log has that",
    ];
  },
};

/** Returns the IST day of a time that an API answered. */
const istDayOf = (time: string): string => istDate(new Date(time));

/** Exports the day's purchases. Returns the lines of the file. */
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

/**
 * Reads the day's purchases as a register and as a file. A viewer is refused the file, and the
 * refusal is recorded.
 */
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

/** Lets the accounting API write while `act` runs. The switch is read at every check. */
const whileWritable = async <T>(settingsDir: string, act: () => Promise<T>): Promise<T> => {
  const file = join(settingsDir, 'ACCOUNTING_PORTAL_MODE');
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, 'readwrite\n');
  try {
    return await act();
  } finally {
    writeFileSync(file, before);
  }
};

/**
 * The time for which transactions of a month may continue into the next month. Until then the month
 * is not closed.
 */
const settlingMs = 2 * 60_000;

/** Returns the last month whose books could be closed at a time, as `YYYY-MM`. */
const lastMonth = (time: string): string => {
  const day = istDayOf(new Date(Date.parse(time) - settlingMs).toISOString());
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() - 1);
  return first.toISOString().slice(0, 7);
};

/**
 * Closes the last month. In read-only mode the close is refused, and a closed month stays
 * unchanged.
 */
export const closeMonth: Step = {
  title: 'The accountant closes the last month',
  async run(demo) {
    const { staff } = await signInStaff(demo, 'accountant');
    const period = lastMonth(demo.readState('buy').order.created_at);
    const path = { period };
    const close = () => staff.post('/api/v1/accounting/gold/month-end-close/{period}', { path });
    const { settingsDir } = demo.endpoints;
    await expectRefusal(403, 'READ_ONLY_MODE', close());
    const refused = 'in read-only mode the close is refused: 403 READ_ONLY_MODE';
    if (settingsDir === undefined) return [refused];

    const first = await whileWritable(settingsDir, async () => {
      const answer = await close().catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'CONFLICT') return error;
        throw error;
      });
      await expectRefusal(409, 'CONFLICT', close());
      return answer.status === 201 ? 'closed now' : 'was closed before';
    });
    const { body: months } = await staff.get('/api/v1/accounting/gold/month-end');
    const open = months.items.find((month) => month.period === period);
    if (open !== undefined) {
      expectThat(!open.canClose, `${period} could be closed and was not`);
      const days = `${open.unsignedDays.length} days to sign off`;
      return [refused, `${period} stays open: ${days}, and waits for ${open.waitsFor ?? 'none'}`];
    }
    const { body } = await staff.get('/api/v1/accounting/gold/month-end-close/{period}', { path });
    expectThat(body.closed, `${period} is not closed`);
    expectThat(body.differences.length === 0, 'the books differ from what was frozen');
    return [
      refused,
      `${period} ${first}, its totals frozen and proven; a second close is 409 CONFLICT`,
      `${months.items.length} later months are open: the next closes when its days are signed off`,
    ];
  },
};
