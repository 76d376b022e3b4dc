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

/** The query of a look-up, and how its result is shown. */
interface LookUp<Document extends object> {
  readonly args: readonly string[];
  readonly answer: z.ZodType<Document>;
  readonly show: (document: Document) => string;
  /** A minute unless given. */
  readonly timeoutMs?: number;
}

/** Runs a look-up of the service's own command, prints its document and returns it. */
const ask = async <Document extends object>(
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
  asked: LookUp<Document>,
): Promise<void> => {
  await ask(deps, command, asked);
};

/** Shows a table, or says that there is nothing. */
const tableOf = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): string => (rows.length === 0 ? none : renderTable(columns, rows));

/** Prints how the database is set up. */
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

/** A large database has many rows to look at. */
const rulesTimeoutMs = 30 * 60_000;

/**
 * Checks every rule of the database.
 * @throws CliError findings if a row breaks a rule.
 */
export const checkRules = async (deps: CliDeps, command: Command): Promise<void> => {
  const { broken } = await ask(deps, command, {
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

/**
 * Prints the values that still need an old key of the keyring, after one pass over it if requested.
 */
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

/** Prints the debits that were due an hour ago and have no end. */
export const listDebits = (deps: CliDeps, command: Command) =>
  lookUp(deps, command, {
    args: ['debit', 'list'],
    answer: overdueDebits,
    show: ({ items }) =>
      tableOf(
        ['order', 'gateway', 'gateway order', 'debit', 'due', 'sent', 'asked', 'given up'],
        items.map((one) => [
          one.orderId,
          one.gateway,
          one.gatewayOrderId ?? '-',
          one.debitStatus ?? '-',
          one.dueAt,
          one.sentAt ?? '-',
          one.askedAt ?? '-',
          one.expiresAt ?? '-',
        ]),
        'No debit is overdue.',
      ),
  });

/** Prints the addresses that codes were requested from. */
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

/** Prints an entry of the audit chain, and the row that it names. */
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
