import { Argument, Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import type { RecordOptions } from '../readiness/evidence-actions.ts';
import { evidenceItems, type EvidenceItem } from '../readiness/evidence-items.ts';

const load = () => import('../readiness/evidence-actions.ts');

const help = `
"goldctl readiness" shows what is on file and when it ends. Only a SUPER_ADMIN may change it.

Examples:
  $ goldctl evidence record merchant_tax_registration --value 29ABCDE1234F1Z5 \\
      --reference "GST certificate of 2026-04-01" --expires-on 2027-03-31
  $ goldctl evidence withdraw provider_disclosure --yes`;

const itemArgument = (): Argument =>
  new Argument('<item>', 'the item of the readiness report').choices(evidenceItems);

/** Creates `goldctl evidence`, which records and withdraws evidence. */
export const createEvidenceCommand = (deps: CliDeps): Command => {
  const evidence = new Command('evidence').addHelpText('after', help);
  evidence
    .command('record')
    .description('put verified evidence on file, replacing any earlier evidence')
    .addArgument(itemArgument())
    .requiredOption('--value <text>', 'the proven value, such as a registration number')
    .requiredOption('--reference <text>', 'the document that proves it')
    .option('--expires-on <day>', 'the last day on which it is valid, YYYY-MM-DD in IST')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (item: EvidenceItem, own: RecordOptions, self: Command) =>
      (await load()).recordEvidence(deps, item, own, self),
    );
  evidence
    .command('withdraw')
    .description('withdraw the verification of the evidence on file, which closes buying')
    .addArgument(itemArgument())
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (item: EvidenceItem, own: { yes?: boolean }, self: Command) =>
      (await load()).withdrawEvidence(deps, item, own, self),
    );
  return evidence;
};
