import type { AdminSchemas } from '@digital-gold/client';
import type { Step } from '../demo.types.ts';
import { until } from '../until.ts';

const checks = 13;

type Report = AdminSchemas['ReconciliationReport'];

/** Describes what does not read OK, with the first row of it. */
const describe = (report: Report): string =>
  report.checks
    .filter(({ status }) => status !== 'OK')
    .map(({ id, status, count, samples: [first], detail }) => {
      const row = first === undefined ? (detail ?? '') : JSON.stringify(first);
      return `${id} reads ${status} (${count}): ${row}`;
    })
    .join('; ');

/** Our books held against themselves and against those of the three collaborators. */
export const reconcile: Step = {
  title: 'Reconciliation finds nothing',
  async run(demo) {
    const { api } = demo.readState('operator');
    // A webhook that is on its way at this moment is a finding for as long.
    const report = await until({
      timers: demo.timers,
      seconds: 20,
      look: async () => (await api.get('/v1/reconciliation')).body,
      isThere: ({ summary }) => summary.ok === checks,
      otherwise: describe,
    });
    return [
      `${report.summary.ok} of ${checks} checks are OK over ${report.windowHours} hours`,
      'the payment gateway, the gold provider and the payout provider were asked',
    ];
  },
};
