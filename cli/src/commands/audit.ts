import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';

/** Time for some ten million rows. */
const verifyTimeoutMs = 60 * 60_000;

const link = z.looseObject({ number: z.string(), hash: z.string() });
type Link = z.infer<typeof link>;

const report = z.looseObject({
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

const parseHead = (text: string): string => {
  if (/^(?:0|[1-9]\d{0,17}):[\da-f]{64}$/u.test(text)) return text;
  throw new InvalidArgumentError('It must be NUMBER:HASH, as "goldctl audit head" prints it.');
};

const showReport = ({ verified, head, findings }: z.infer<typeof report>): string => {
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

const verifyHelp = `
Pass the newest head that was noted outside the database: only it shows that the end of the log
was cut off, or that the log was written anew from some row on. Up to 20 findings are shown, the
first one along the chain first.

Exit code 3 when something was found.

Examples:
  $ goldctl --context prod audit verify --head "$(tail -n 1 audit-heads.txt)"
  $ goldctl --context prod audit head >> audit-heads.txt`;

/** `goldctl audit`: shows the head of the audit chain and verifies the log against it. */
export const createAuditCommand = (deps: CliDeps): Command => {
  const audit = new Command('audit').description(
    'verify the audit log, directly in the database; needs no sign-in',
  );
  audit
    .command('head')
    .description('print the last entry of the audit chain, to be noted outside the database')
    .action(async (_options: unknown, command: Command) => {
      const options = globalOptionsOf(command);
      const request = { args: ['audit', 'head'], answer: link };
      const head = await runBackendCommand(deps, resolveContext(deps, options), request);
      printResult(deps, options.output, { data: head, text: showLink(head) });
    });
  audit
    .command('verify')
    .description('compare every row of the audit log with the chain')
    .option('--head <number:hash>', 'a head that was noted earlier', parseHead)
    .addHelpText('after', verifyHelp)
    .action(async ({ head }: { head?: string }, command: Command) => {
      const options = globalOptionsOf(command);
      const found = await runBackendCommand(deps, resolveContext(deps, options), {
        args: ['audit', 'verify', ...(head === undefined ? [] : ['--head', head])],
        answer: report,
        timeoutMs: verifyTimeoutMs,
      });
      printResult(deps, options.output, { data: found, text: showReport(found) });
      if (found.ok) return;
      throw new CliError(
        'the audit log does not match its chain',
        exitCodes.findings,
        'docs/runbooks/audit-chain.md of the backend says what to do.',
      );
    });
  return audit;
};
