import type { AdminSchemas } from '@digital-gold/client';
import type { Demo, DemoOperator, Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
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

/** Asks for a run, which the worker makes, and follows it to its end. */
const followRun = async (demo: Demo): Promise<string> => {
  const { api } = demo.readState('operator');
  const { body: asked } = await api.post('/v1/reconciliation/runs', { body: { windowHours: 24 } });
  const path = { id: asked.id };
  const run = await until({
    timers: demo.timers,
    seconds: 120,
    look: async () => (await api.get('/v1/reconciliation/runs/{id}', { path })).body,
    isThere: ({ status }) => status === 'DONE',
    otherwise: ({ status, checksDone }) => `the run is ${status} after ${checksDone} checks`,
  });
  expectThat(run.report?.checks.length === checks, 'the run has not all checks');
  return `a run of ${run.windowHours} hours was asked for, and its ${checks} checks are stored`;
};

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
      await followRun(demo),
    ];
  },
};
