import { count as counted } from '../io/count.ts';
import { paint } from '../io/screen.ts';
import { showable } from '../io/showable.ts';
import { checkCategories, type CheckCategory } from './check-categories.ts';
import type { CheckRecord, CheckStatus } from './check.types.ts';

const marks: Readonly<Record<CheckStatus, string>> = {
  ok: '√',
  warning: '‼',
  failed: '×',
  unknown: '?',
  'not-run': '-',
};

const headings: Readonly<Record<CheckCategory, string>> = {
  before: 'Before an installation',
  configuration: 'Configuration',
  processes: 'Processes',
  stores: 'Stores',
  migrations: 'Migrations',
  collaborators: 'Collaborators',
  business: 'Business readiness',
  operations: 'Operations',
  network: 'Network',
  deployments: 'Deployments',
  pods: 'Pods',
  'config-maps': 'Config maps',
  secrets: 'Secrets',
};

const colours = {
  ok: 'green',
  warning: 'yellow',
  failed: 'red',
  unknown: 'yellow',
  'not-run': 'dim',
} as const satisfies Record<CheckStatus, Parameters<typeof paint>[0]>;

const lineOf = ({ status, title }: CheckRecord): string =>
  `${paint(colours[status], marks[status])} ${showable(title)}`;

/** Renders a passed check as one line, and any other with its detail, hint and anchor. */
const linesOf = (record: CheckRecord): string[] => {
  const { status, detail, hint, anchor } = record;
  if (status === 'ok') return [lineOf(record)];
  return [
    lineOf(record),
    `    ${showable(detail)}`,
    ...(hint === null || status === 'not-run' ? [] : [`    ${showable(hint)}`]),
    ...(status === 'not-run' ? [] : [`    see ${anchor}`]),
  ];
};

/** Counts the records by status. */
export const summaryOf = (records: readonly CheckRecord[]): string => {
  const count = (status: CheckStatus): number =>
    records.filter((record) => record.status === status).length;
  const named: readonly [CheckStatus, string][] = [
    ['ok', 'ok'],
    ['warning', 'with a warning'],
    ['failed', 'failed'],
    ['unknown', 'unknown'],
    ['not-run', 'not run'],
  ];
  const parts = named
    .map(([status, words]) => [count(status), words] as const)
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`);
  const left = [
    ...new Set(records.flatMap(({ id, status }) => (status === 'not-run' ? [id] : []))),
  ];
  const notAsked = left.length === 0 ? '' : ` Not run: ${left.join(', ')}.`;
  return `${counted(records.length, 'check')}: ${parts.join(', ')}.${notAsked}`;
};

/** Renders every record, by category. */
export const renderChecks = (records: readonly CheckRecord[]): string => {
  const sections = checkCategories.flatMap((category) => {
    const own = records.filter((record) => record.category === category);
    if (own.length === 0) return [];
    const heading = headings[category];
    return [
      [paint('bold', heading), '-'.repeat(heading.length), ...own.flatMap(linesOf)].join('\n'),
    ];
  });
  return [...sections, summaryOf(records)].join('\n\n');
};

/** Renders the records that did not pass, one line each, and the count. */
export const renderShort = (records: readonly CheckRecord[]): string => {
  const problems = records.filter(({ status }) => status !== 'ok' && status !== 'not-run');
  const lines = problems.map((record) => `${lineOf(record)}: ${showable(record.detail)}`);
  return [...lines, summaryOf(records)].join('\n');
};
