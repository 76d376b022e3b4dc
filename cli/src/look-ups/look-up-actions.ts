import type { Command } from 'commander';
import type { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { count } from '../io/count.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';
import {
  auditEntry,
  auditRow,
  codeAddresses,
  databaseRules,
  databaseStatus,
  keyringStatus,
  keyUses,
  overdueDebits,
  ticks,
} from './look-up-forms.ts';

/** The query of a look-up, with the function that renders its result. */
interface LookUp<Document extends object> {
  readonly args: readonly string[];
  readonly answer: z.ZodType<Document>;
  readonly show: (document: Document) => string;
  /** The time limit of the command. The default is a minute. */
  readonly timeoutMs?: number;
}

/** Runs a look-up by the service's operator command, and prints and returns its document. */
const runLookUp = async <Document extends object>(
  deps: CliDeps,
  command: Command,
  { args, answer, show, timeoutMs }: LookUp<Document>,
): Promise<Document> => {
  const options = globalOptionsOf(command);
  const found = await runBackendCommand(deps, resolveContext(deps, options), {
    args,
    answer,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  printResult(deps, options.output, { data: found, text: show(found) });
  return found;
};

/** Runs a look-up and prints its document. */
const lookUp = async <Document extends object>(
  deps: CliDeps,
  command: Command,
  wanted: LookUp<Document>,
): Promise<void> => {
  await runLookUp(deps, command, wanted);
};

/** Renders a table, or returns `none` if there are no rows. */
const tableOf = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): string => (rows.length === 0 ? none : renderTable(columns, rows));

/** Prints the state of the database. */
export const showDatabase = (deps: CliDeps, command: Command) =>
  lookUp(deps, command, {
    args: ['database', 'status'],
    answer: databaseStatus,
    show: ({ version, readOnly, timeZone, connections, maxConnections }) =>
      renderPairs([
        ['PostgreSQL', version],
        ['writes', readOnly ? 'no' : 'yes'],
        ['time zone', timeZone],
        ['connections', `${connections} of ${maxConnections}`],
      ]),
  });

/** The time limit in ms of a command that reads whole tables of a large database. */
const rulesTimeoutMs = 30 * 60_000;

/**
 * Checks every rule of the database.
 * @throws CliError findings if a row breaks a rule.
 */
export const checkRules = async (deps: CliDeps, command: Command): Promise<void> => {
  const { broken } = await runLookUp(deps, command, {
    args: ['database', 'rules'],
    answer: databaseRules,
    timeoutMs: rulesTimeoutMs,
    show: ({ rules, broken: found }) =>
      tableOf(
        ['rule', 'says', 'row'],
        found.map(({ invariant, says, row }) => [invariant, says, JSON.stringify(row)]),
        `All ${rules} rules hold.`,
      ),
  });
  if (broken.length === 0) return;
  throw new CliError(
    `${count(broken.length, 'row')} broke a rule of the database`,
    exitCodes.findings,
    '"goldctl help runbook restore-and-keys" says when to check them.',
  );
};

const kinds: Readonly<Record<string, readonly [secret: string, what: string]>> = {
  admin: ['CREDENTIAL_PEPPER', 'passwords of operators'],
  portal: ['CREDENTIAL_PEPPER', 'passwords of accounting staff'],
  mpin: ['CREDENTIAL_PEPPER', 'MPINs'],
  phone: ['BLIND_INDEX_KEY', 'phones'],
  kyc: ['BLIND_INDEX_KEY', 'KYC numbers'],
  account: ['BLIND_INDEX_KEY', 'bank accounts'],
};

/** Prints which pepper or key the stored values need. */
export const showKeys = (deps: CliDeps, command: Command) =>
  lookUp(deps, command, {
    args: ['keys', 'status'],
    answer: keyUses,
    show: ({ items, coolDownsUntil }) =>
      [
        tableOf(
          ['secret', 'values', 'key', 'count'],
          items.map(({ kind, keyId, count: number }) => [
            ...(kinds[kind] ?? [kind, kind]),
            keyId ?? 'none (an earlier form)',
            String(number),
          ]),
          'There are no such values.',
        ),
        `Cool-downs of deleted numbers end: ${coolDownsUntil ?? 'there are none'}`,
      ].join('\n\n'),
  });

/** Prints how many values still need an old key of the keyring. `rotate` first rotates them. */
export const showKeyring = (deps: CliDeps, command: Command, work: 'status' | 'rotate') =>
  lookUp(deps, command, {
    args: ['keyring', work],
    answer: keyringStatus,
    timeoutMs: rulesTimeoutMs,
    show: ({ keyId, outdated }) =>
      renderPairs([
        ['first key', keyId],
        ...Object.entries(outdated).map(([kind, number]) => [kind, String(number)] as const),
      ]),
  });

/** Prints the newest ticks of the price feed. */
export const showTicks = (deps: CliDeps, command: Command) =>
  lookUp(deps, command, {
    args: ['price', 'ticks'],
    answer: ticks,
    show: ({ items }) =>
      tableOf(
        ['tick', 'mark', 'as of', 'ago'],
        items.map(({ seq, mark, asOf, ageSeconds }) => [seq, mark, asOf, `${ageSeconds} s`]),
        'There was never a tick.',
      ),
  });

/** Prints the debits that were due an hour ago and whose outcome is unknown. */
export const listDebits = (deps: CliDeps, command: Command) =>
  lookUp(deps, command, {
    args: ['debit', 'list'],
    answer: overdueDebits,
    show: ({ items }) =>
      tableOf(
        ['order', 'gateway', 'gateway order', 'debit', 'due', 'sent', 'asked', 'given up'],
        items.map((debit) => [
          debit.orderId,
          debit.gateway,
          debit.gatewayOrderId ?? '-',
          debit.debitStatus ?? '-',
          debit.dueAt,
          debit.sentAt ?? '-',
          debit.askedAt ?? '-',
          debit.expiresAt ?? '-',
        ]),
        'No debit is overdue.',
      ),
  });

/** Prints the addresses from which codes were requested. */
export const listAddresses = (deps: CliDeps, command: Command) =>
  lookUp(deps, command, {
    args: ['codes', 'addresses'],
    answer: codeAddresses,
    show: ({ items }) =>
      tableOf(
        ['address', 'codes'],
        items.map(({ address, count: number }) => [address ?? '-', String(number)]),
        'No code was requested.',
      ),
  });

type AuditRow = z.output<typeof auditRow>;

const pairsOfRow = (row: AuditRow): (readonly [string, string])[] => [
  ['audit row', row.id],
  ['action', `${row.action}, ${row.outcome}`],
  ['actor', [row.actorApi, row.actorRole, row.actorId].filter(Boolean).join(' ')],
  ['target', [row.targetType, row.targetId].filter(Boolean).join(' ') || '-'],
  ['request', row.requestId ?? '-'],
  ['at', row.at],
];

/** Prints an entry of the audit chain with its audit row. */
export const showEntry = (deps: CliDeps, command: Command, number: string) =>
  lookUp(deps, command, {
    args: ['audit', 'entry', '--number', number],
    answer: auditEntry,
    show: (entry) =>
      renderPairs([
        ['entry', `${entry.number}:${entry.hash}`],
        ['audit_chain_head_hash', entry.metric],
        ...(entry.row === null ? [['audit row', 'is gone'] as const] : pairsOfRow(entry.row)),
      ]),
  });

/** Prints one audit row. */
export const showRow = (deps: CliDeps, command: Command, id: string) =>
  lookUp(deps, command, {
    args: ['audit', 'row', '--id', id],
    answer: auditRow,
    show: (row) => renderPairs(pairsOfRow(row)),
  });
