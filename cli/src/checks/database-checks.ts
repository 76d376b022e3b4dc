import type { DatabaseStatus } from '../look-ups/look-up-forms.ts';
import type { Check, Finding } from './check.types.ts';

/**
 * The share of used connections in percent from which the check warns. An upgrade starts new replicas
 * while the old replicas still run, and may find no free connection above this share.
 */
const fullPercent = 80;

const judgeConnections = ({ connections, maxConnections }: DatabaseStatus): Finding => {
  const isFull = connections * 100 >= maxConnections * fullPercent;
  const detail = `${connections} of ${maxConnections} are in use.`;
  return { status: isFull ? 'warning' : 'ok', detail };
};

const ofDatabase =
  (judge: (status: DatabaseStatus) => Finding): Check['run'] =>
  async ({ database }) => {
    const report = await database();
    return [
      report.kind === 'received'
        ? judge(report.status)
        : { status: 'not-run', detail: report.detail },
    ];
  };

const universal: ReadonlySet<string> = new Set(['UTC', 'Etc/UTC', 'GMT', 'Etc/GMT', 'Universal']);

/** Checks of the database's own settings. */
export const databaseChecks: readonly Check[] = [
  {
    id: 'database-writable',
    category: 'stores',
    title: 'the database accepts writes',
    hint: 'Is the address that of a standby? default_transaction_read_only must be off.',
    run: ofDatabase(({ readOnly }) =>
      readOnly
        ? { status: 'failed', detail: 'It is read-only.' }
        : { status: 'ok', detail: 'It accepts writes.' },
    ),
  },
  {
    id: 'database-time-zone',
    category: 'stores',
    title: 'the database’s time zone is UTC',
    hint: 'A deployment sets it for the service’s roles: check it with "goldctl migrate status".',
    run: ofDatabase(({ timeZone }) => ({
      status: universal.has(timeZone) ? 'ok' : 'warning',
      detail: `It is ${timeZone}.`,
    })),
  },
  {
    id: 'database-connections',
    category: 'stores',
    title: 'connections to the database are free',
    hint: 'Lower DATABASE_POOL_SIZE or the replicas, or raise max_connections.',
    run: ofDatabase(judgeConnections),
  },
];
