import type { CheckId } from './check-table.ts';
import type { CheckRecord, CheckStatus } from './check.types.ts';
import { makeRecord } from './make-record.ts';
import type { ProcessProbe } from './process-probe.ts';

/** Whether each process is ready. */
export const processRecords = (probes: readonly ProcessProbe[]): CheckRecord[] =>
  probes.map(({ process, state, detail }) =>
    makeRecord('process-ready', {
      title: `the ${process} process is ready`,
      status: state === 'ready' ? 'ok' : 'failed',
      detail,
    }),
  );

interface Need {
  readonly id: CheckId;
  /** As the processes name it in their readiness. */
  readonly name: string;
  /** Whether a process is unready without it: then one that is ready proves it. */
  readonly isRequired: boolean;
}

const list = (probes: readonly ProcessProbe[]): string =>
  probes.map(({ process }) => process).join(', ');

const fromStates = (need: Need, probes: readonly ProcessProbe[]): [CheckStatus, string] => {
  const ready = probes.filter(({ state }) => state === 'ready');
  if (need.isRequired && ready.length > 0) return ['ok', `They are ready with it: ${list(ready)}.`];
  return ready.length === 0
    ? ['unknown', 'No process is ready to say.']
    : ['not-run', 'From here only whether the processes are ready is known.'];
};

/** What the processes say of one thing that they all need. */
export const needRecord = (need: Need, probes: readonly ProcessProbe[]): CheckRecord => {
  const told = probes.filter(({ needs }) => needs[need.name] !== undefined);
  if (told.length === 0) {
    const [status, detail] = fromStates(need, probes);
    return makeRecord(need.id, { status, detail });
  }
  const failing = told.filter(({ needs }) => needs[need.name] === 'failed');
  if (failing.length === 0) {
    return makeRecord(need.id, { status: 'ok', detail: `It answers: ${list(told)}.` });
  }
  return makeRecord(need.id, {
    status: need.isRequired ? 'failed' : 'warning',
    detail: `It does not answer: ${list(failing)}.`,
  });
};

export const databaseNeed: Need = { id: 'database-answers', name: 'database', isRequired: true };
export const cacheNeed: Need = { id: 'cache-answers', name: 'cache', isRequired: false };
export const migrationsNeed: Need = {
  id: 'database-migrations',
  name: 'migrations',
  isRequired: true,
};
