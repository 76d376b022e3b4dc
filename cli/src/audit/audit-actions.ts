import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';

/** The time limit in ms of a verification. It is enough for some ten million rows. */
const verifyTimeoutMs = 60 * 60_000;

/** An entry of the audit chain. */
export const link = z.looseObject({ number: z.string(), hash: z.string() });
type Link = z.infer<typeof link>;

/** The comparison of the audit log with its chain. */
export const auditReport = z.looseObject({
  ok: z.boolean(),
  verified: z.string(),
  head: link,
  findings: z.array(
    z.looseObject({
      kind: z.string(),
      number: z.string().nullable(),
      auditId: z.string().nullable(),
    }),
  ),
});

const meanings: Readonly<Record<string, string>> = {
  CHANGED: 'the row, or its entry, differs from what was written',
  MISSING: 'the row, or its entry, is gone',
  INSERTED: 'the row was not written by the service',
  WRONG_HEAD: 'the entry that was noted is gone, or the log was written anew before it',
};

const showLink = ({ number, hash }: Link): string => `${number}:${hash}`;

const showReport = ({ verified, head, findings }: z.infer<typeof auditReport>): string => {
  const summary = renderPairs([
    ['verified', `${verified} entries`],
    ['head', showLink(head)],
  ]);
  if (findings.length === 0) return summary;
  const rows = findings.map(({ kind, number, auditId }) => [
    kind,
    number ?? '-',
    auditId ?? '-',
    meanings[kind] ?? '',
  ]);
  return `${summary}\n\n${renderTable(['finding', 'entry', 'audit row', 'means'], rows)}`;
};

/** Prints the last entry of the chain, in the form that `verify --head` accepts. */
export const showHead = async (deps: CliDeps, command: Command): Promise<void> => {
  const options = globalOptionsOf(command);
  const request = { args: ['audit', 'head'], answer: link };
  const head = await runBackendCommand(deps, resolveContext(deps, options), request);
  printResult(deps, options.output, { data: head, text: showLink(head) });
};

/**
 * Compares every audit row with the chain.
 * @throws CliError findings if a row differs
 */
export const verifyAudit = async (
  deps: CliDeps,
  command: Command,
  head: string | undefined,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const found = await runBackendCommand(deps, resolveContext(deps, options), {
    args: ['audit', 'verify', ...(head === undefined ? [] : ['--head', head])],
    answer: auditReport,
    timeoutMs: verifyTimeoutMs,
  });
  printResult(deps, options.output, { data: found, text: showReport(found) });
  if (found.ok) return;
  throw new CliError(
    'the audit log does not match its chain',
    exitCodes.findings,
    '"goldctl help runbook audit-chain" says what to do.',
  );
};
