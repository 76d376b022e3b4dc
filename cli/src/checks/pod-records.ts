import type { KubePod } from '../clients/kube.ts';
import type { CheckRecord, CheckStatus } from './check.types.ts';
import { makeRecord } from './make-record.ts';
import { processNames } from './process-probe.ts';

const id = 'pods-ready';

const componentOf = ({ labels }: KubePod): string => labels['app.kubernetes.io/component'] ?? '';

const troubleOf = (pod: KubePod): string => `${pod.name}: ${pod.trouble ?? pod.phase}`;

const servingPods = (pods: readonly KubePod[]): [CheckStatus, string] => {
  const amiss = pods.filter(({ isReady }) => !isReady);
  const count = `${pods.length - amiss.length} of ${pods.length} are ready.`;
  if (pods.length === 0) return ['failed', 'There are none.'];
  if (amiss.length === 0) return ['ok', count];
  return ['failed', `${count} ${amiss.map(troubleOf).join('; ')}`];
};

/** A job tries again with a new pod: its newest one counts. */
const migrationPods = (pods: readonly KubePod[]): [CheckStatus, string] => {
  const [newest] = pods.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  if (newest === undefined) return ['not-run', 'The cluster keeps no pod of the migration job.'];
  if (newest.phase === 'Succeeded') return ['ok', `${newest.name} has succeeded.`];
  const verb = newest.phase === 'Failed' ? 'has failed' : 'has not ended';
  return ['failed', `${newest.name} ${verb}: ${newest.trouble ?? newest.phase}`];
};

const record = (title: string, [status, detail]: [CheckStatus, string]): CheckRecord =>
  makeRecord(id, { title, status, detail });

/** Whether the pods of each process are ready, and the newest migration has succeeded. */
export const podRecords = (pods: readonly KubePod[]): CheckRecord[] => {
  const staying = pods.filter(({ isTerminating }) => !isTerminating);
  const of = (component: string) => staying.filter((pod) => componentOf(pod) === component);
  return [
    ...processNames.map((process) =>
      record(`the pods of ${process} are ready`, servingPods(of(process))),
    ),
    record('the newest migration pod has succeeded', migrationPods(of('migrate'))),
  ];
};
