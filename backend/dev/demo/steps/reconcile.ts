import type { AdminSchemas } from '@digital-gold/client';
import type { DemoOperator, Step } from '../demo.types.ts';
import { until } from '../until.ts';

const checks = 13;

type Report = AdminSchemas['ReconciliationReport'];
type Check = Report['checks'][number];

/** Reads how many rows each check finds: on a used stack somebody may have left a review open. */
export const countFindings = async (
  api: DemoOperator['api'],
): Promise<Readonly<Record<string, number>>> => {
  const { body } = await api.get('/v1/reconciliation');
  return Object.fromEntries(body.checks.map(({ id, count }) => [id, count]));
};

/** Returns the checks that found something in this story, or could not be made. */
const newFindings = (report: Report, before: Readonly<Record<string, number>>): readonly Check[] =>
  report.checks.filter(
    ({ id, status, count }) =>
      status === 'ERROR' || (status === 'FINDINGS' && count > (before[id] ?? 0)),
  );

/** Describes what does not read OK, with the first row of it. */
const describe = (found: readonly Check[]): string =>
  found
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
    const before = demo.readState('findingsBefore');
    // A webhook that is on its way at this moment is a finding for as long.
    const report = await until({
      timers: demo.timers,
      seconds: 20,
      look: async () => (await api.get('/v1/reconciliation')).body,
      isThere: (seen) => newFindings(seen, before).length === 0,
      otherwise: (seen) => describe(newFindings(seen, before)),
    });
    const old = checks - report.summary.ok;
    return [
      `${report.summary.ok} of ${checks} checks are OK over ${report.windowHours} hours`,
      ...(old === 0 ? [] : [`${old} find what was there before the story, and nothing more`]),
      'the payment gateway, the gold provider and the payout provider were asked',
    ];
  },
};
