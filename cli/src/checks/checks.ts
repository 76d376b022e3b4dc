import { openGateSettings } from '../gates/gate-settings.ts';
import { gates, stateOf, type GateState } from '../gates/gates.ts';
import type { AdminReport } from './admin-report.ts';
import type { Check, CheckStatus, Finding } from './check.types.ts';
import { clusterChecks } from './cluster-checks.ts';
import { databaseChecks } from './database-checks.ts';
import type { Installation } from './installation.ts';
import { networkChecks } from './network-checks.ts';
import { operationsChecks } from './operations-checks.ts';
import { probeHealth, type ProcessProbe } from './probe-processes.ts';
import { preChecks } from './pre-checks.ts';
import { findingOfItem, reportChecks } from './report-checks.ts';
import { versionCheck } from './version-check.ts';

const signInStatus = {
  received: 'ok',
  'signed-out': 'not-run',
  refused: 'failed',
  unavailable: 'unknown',
} as const satisfies Record<AdminReport['kind'], CheckStatus>;

const signInFinding = (report: AdminReport): Finding => {
  const status = signInStatus[report.kind];
  return report.kind === 'received'
    ? { status, detail: 'The admin API returned its report.' }
    : { status, detail: report.detail, hint: report.hint };
};

const hasKnownValue = ({ isOpen, value, gate }: GateState): boolean =>
  isOpen || value === gates.find(({ name }) => name === gate)?.closed;

const problemOf = ({ setting, value }: GateState): string =>
  value === null ? `${setting} is missing` : `${setting} is "${value}"`;

/** Warns of unknown values. The service treats them as closed, but they may be misspelled. */
const switchFinding = async ({ deps, context }: Installation): Promise<Finding> => {
  const names = gates.map(({ setting }) => setting);
  const values = await (await openGateSettings(deps, context, names)).read();
  const states = gates.map((gate) => stateOf(gate, values[gate.setting]));
  const odd = states.filter((state) => !hasKnownValue(state));
  if (odd.length > 0) {
    return { status: 'warning', detail: `${odd.map(problemOf).join(', ')}: treated as closed.` };
  }
  const shown = states.map(({ gate, isOpen }) => `${gate} ${isOpen ? 'open' : 'closed'}`);
  return { status: 'ok', detail: `${shown.join(', ')}.` };
};

const healthFindings = ({ healthRoutes, deps }: Installation): Promise<Finding[]> =>
  Promise.all(
    healthRoutes.map(async ({ process, url }): Promise<Finding> => {
      const { isHealthy, detail } = await probeHealth(url, deps.signal);
      const title = `the ${process} API answers`;
      return { title, status: isHealthy ? 'ok' : 'failed', detail };
    }),
  );

const readyFinding = ({ process, state, detail }: ProcessProbe): Finding => ({
  title: `the ${process} process is ready`,
  status: state === 'ready' ? 'ok' : 'failed',
  detail,
});

interface Need {
  /** The name in the readiness reports of the processes. */
  readonly name: string;
  /** True if a process without it is not ready, so that a ready process shows that it is there. */
  readonly isRequired: boolean;
}

const namesOf = (probes: readonly ProcessProbe[]): string =>
  probes.map(({ process }) => process).join(', ');

const fromStates = (need: Need, probes: readonly ProcessProbe[]): Finding => {
  const ready = probes.filter(({ state }) => state === 'ready');
  if (ready.length === 0) return { status: 'unknown', detail: 'No process is ready to report it.' };
  return need.isRequired
    ? { status: 'ok', detail: `These need it and are ready: ${namesOf(ready)}.` }
    : {
        status: 'not-run',
        detail: 'From here it is only known whether the processes are ready.',
      };
};

/** Combines the reports of the processes about a need that they share. */
const needFinding = (need: Need, probes: readonly ProcessProbe[]): Finding => {
  const reporting = probes.filter(({ needs }) => needs[need.name] !== undefined);
  if (reporting.length === 0) return fromStates(need, probes);
  const failing = reporting.filter(({ needs }) => needs[need.name] === 'failed');
  if (failing.length === 0) {
    return { status: 'ok', detail: `It answers: ${namesOf(reporting)}.` };
  }
  return {
    status: need.isRequired ? 'failed' : 'warning',
    detail: `It does not answer: ${namesOf(failing)}.`,
  };
};

/** The check that the installation can be reached. If it fails, no other check runs. */
export const contextFound: Check = {
  id: 'context-found',
  category: 'configuration',
  title: 'the stack or release can be reached',
  hint: '"make up" starts a local stack; --context and --namespace name a release.',
  run: ({ description }) => [{ status: 'ok', detail: description }],
};

/** All checks. Checks of a category are shown in this order. */
export const checks: readonly Check[] = [
  contextFound,
  {
    id: 'operator-signed-in',
    category: 'configuration',
    title: 'an operator is signed in',
    hint: 'Sign in with "goldctl login --email <email>", or set GOLDCTL_TOKEN.',
    run: async ({ report }) => [signInFinding(await report())],
  },
  {
    id: 'switches-readable',
    category: 'configuration',
    title: 'the switches can be read',
    hint: '"goldctl gates show" shows them; "goldctl gates open" and "close" set them.',
    run: async (installation) => [await switchFinding(installation)],
  },
  {
    id: 'api-answers',
    category: 'processes',
    title: 'the API answers',
    hint: 'Check that the process is running, and read its log.',
    run: healthFindings,
  },
  {
    id: 'process-ready',
    category: 'processes',
    title: 'the process is ready',
    hint: 'Its log says what it waits for.',
    run: async ({ probes }) => (await probes()).map(readyFinding),
  },
  {
    id: 'database-answers',
    category: 'stores',
    title: 'the database answers',
    hint: 'Check the database, DATABASE_URL and the network.',
    run: async ({ probes }) => [
      needFinding({ name: 'database', isRequired: true }, await probes()),
    ],
  },
  {
    id: 'cache-answers',
    category: 'stores',
    title: 'the cache answers',
    hint: 'Check Redis and REDIS_URL. Amounts stay correct without it, and sockets hear each price later.',
    run: async ({ probes }) => [needFinding({ name: 'cache', isRequired: false }, await probes())],
  },
  ...databaseChecks,
  {
    id: 'database-migrations',
    category: 'migrations',
    title: 'the database has the migrations of this build',
    hint: 'Run the migrations; in a release, read the log of the migration job.',
    // The report names the missing migrations. The processes only report that some are missing.
    run: async ({ report, probes }) => [
      findingOfItem(await report(), 'database_migrations') ??
        needFinding({ name: 'migrations', isRequired: true }, await probes()),
    ],
  },
  ...reportChecks,
  ...operationsChecks,
  ...networkChecks,
  versionCheck,
  ...clusterChecks,
  ...preChecks,
];
