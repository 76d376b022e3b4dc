import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@digital-gold/client';
import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';
import { istDayOf } from './read-registers.ts';
import { signInStaff } from './visit-accounting.ts';

/** Lets the accounting API write while `act` runs; the switch is read at every check. */
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

/** Transactions of a month may last as long into the next one; until then it is not closed. */
const settlingMs = 2 * 60_000;

/** The last month whose books could be closed at a time, as `YYYY-MM`. */
const lastMonth = (time: string): string => {
  const day = istDayOf(new Date(Date.parse(time) - settlingMs).toISOString());
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() - 1);
  return first.toISOString().slice(0, 7);
};

/** In read-only mode nothing is closed; a month that was closed stays as it was. */
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
