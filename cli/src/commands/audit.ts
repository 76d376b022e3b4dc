import { Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const loadLookUps = () => import('../look-ups/look-up-actions.ts');

const load = () => import('../audit/audit-actions.ts');

const parseHead = (text: string): string => {
  if (/^(?:0|[1-9]\d{0,17}):[\da-f]{64}$/u.test(text)) return text;
  throw new InvalidArgumentError('It must be NUMBER:HASH, as "goldctl audit head" prints it.');
};

const parseNumber = (text: string): string => {
  if (/^[1-9]\d{0,17}$/u.test(text)) return text;
  throw new InvalidArgumentError('It must be the number of an entry.');
};

const verifyHelp = `
Pass the newest head that was noted outside the database: only it shows that the end of the log
was cut off, or that the log was written anew from some row on. Up to 20 findings are shown, the
first one along the chain first.

Exit code 3 when something was found.

Examples:
  $ goldctl --context prod audit verify --head "$(tail -n 1 audit-heads.txt)"
  $ goldctl --context prod audit head >> audit-heads.txt`;

/** Creates `goldctl audit`, which shows the head of the audit chain and verifies the log against it. */
export const createAuditCommand = (deps: CliDeps): Command => {
  const audit = new Command('audit');
  audit
    .command('head')
    .description(
      'print the last entry of the audit chain, so that you can note it outside the database',
    )
    .action(async (_options: unknown, command: Command) => (await load()).showHead(deps, command));
  audit
    .command('verify')
    .description('compare every row of the audit log with the chain')
    .option('--head <number:hash>', 'a head that you noted earlier', parseHead)
    .addHelpText('after', verifyHelp)
    .action(async ({ head }: { head?: string }, command: Command) =>
      (await load()).verifyAudit(deps, command, head),
    );
  audit
    .command('entry')
    .description('show one entry of the chain, its hash as in the metric, and its row')
    .argument('<number>', "the entry's number", parseNumber)
    .action(async (number: string, _options: unknown, self: Command) =>
      (await loadLookUps()).showEntry(deps, self, number),
    );
  audit
    .command('row')
    .description('show one audit row without personal data')
    .argument('<id>', "the row's id")
    .action(async (id: string, _options: unknown, self: Command) =>
      (await loadLookUps()).showRow(deps, self, id),
    );
  return audit;
};
