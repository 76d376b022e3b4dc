import { count } from '../io/count.ts';
import { auditHeadCheck } from './audit-head-check.ts';
import type { Check, Finding } from './check.types.ts';
import type { Installation } from './installation.ts';
import type { LastRun, Waiting } from './operations-report.ts';

/** The time in s after which a due job is late. A worker looks for due jobs every second. */
const maxDueSeconds = 300;

const notAsked = (detail: string): Finding => ({ status: 'not-run', detail });

const waits = async (
  { operations }: Installation,
  judge: (report: Waiting) => Finding,
): Promise<Finding[]> => {
  const report = await operations();
  return [report.kind === 'received' ? judge(report) : notAsked(report.detail)];
};

const byMetric = async (
  { workerMetrics }: Installation,
  name: string,
  judge: (value: number) => Finding,
): Promise<Finding[]> => {
  const value = (await workerMetrics())?.get(name);
  return [value === undefined ? notAsked('No worker could be queried.') : judge(value)];
};

const hourMs = 60 * 60_000;
/** The age in hours from which the last run is too old. The worker makes a run every hour. */
const maxRunHours = 3;

const judgeRun = (last: LastRun | undefined, now: Date): Finding => {
  if (last === undefined) return { status: 'warning', detail: 'Reconciliation has not run yet.' };
  const hours = Math.floor((now.getTime() - last.finishedAt.getTime()) / hourMs);
  const { findings, errors } = last;
  const amiss = [
    ...(findings === 0 ? [] : [`${count(findings, 'check')} with findings`]),
    ...(errors === 0 ? [] : [`${count(errors, 'check')} that could not be made`]),
  ];
  const isOld = hours >= maxRunHours;
  const words = amiss.length === 0 ? 'all checks agree' : amiss.join(', ');
  return {
    status: isOld || amiss.length > 0 ? 'warning' : 'ok',
    detail: `The last run, ${hours} h ago: ${words}.`,
  };
};

/** The checks of work that waits for an operator. They only warn, since the service keeps running. */
export const operationsChecks: readonly Check[] = [
  {
    id: 'dead-jobs',
    category: 'operations',
    title: 'there are no dead jobs',
    hint: '"goldctl jobs list" shows them; "goldctl help runbook dead-letter-jobs" says what to do.',
    run: (installation) =>
      byMetric(installation, 'job_queue_dead', (dead) =>
        dead === 0
          ? { status: 'ok', detail: 'There is none.' }
          : { status: 'warning', detail: `${count(dead, 'dead job')} in the queue.` },
      ),
  },
  {
    id: 'oldest-due-job',
    category: 'operations',
    title: 'due jobs are done',
    hint: '"goldctl help runbook jobs-stand-still" lists possible causes.',
    run: (installation) =>
      byMetric(installation, 'job_queue_oldest_due_seconds', (seconds) => ({
        status: seconds < maxDueSeconds ? 'ok' : 'warning',
        detail: `The oldest has been due for ${Math.round(seconds)} s.`,
      })),
  },
  {
    id: 'open-reviews',
    category: 'operations',
    title: 'no order is under review',
    hint: '"goldctl review list" shows them; "goldctl order resolve" ends one.',
    run: (installation) =>
      waits(installation, ({ reviews }) => ({
        status: reviews === 0 ? 'ok' : 'warning',
        detail: `${count(reviews, 'order')} under review.`,
      })),
  },
  {
    id: 'failed-payouts',
    category: 'operations',
    title: 'no payout failed',
    hint: '"goldctl payout list --status FAILED" shows them; "goldctl payout retry" retries one.',
    run: (installation) =>
      waits(installation, ({ failedPayouts }) => ({
        status: failedPayouts === 0 ? 'ok' : 'warning',
        detail: `${count(failedPayouts, 'payout')} failed or were returned.`,
      })),
  },
  {
    id: 'last-reconciliation',
    category: 'operations',
    title: 'the books agreed recently',
    hint: '"goldctl reconcile --samples" shows the findings; "goldctl help runbook reconciliation".',
    run: (installation) =>
      waits(installation, ({ lastRun }) => judgeRun(lastRun, installation.deps.now())),
  },
  auditHeadCheck,
];
