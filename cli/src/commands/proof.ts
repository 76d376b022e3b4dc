import { Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging, type Paging } from '../desk/paging.ts';
import type { PublishOptions, RebuildOptions, VerifyOptions } from '../proofs/proof-actions.ts';

const load = () => import('../proofs/proof-actions.ts');

const parseSeconds = (text: string): number => {
  if (/^\d{1,5}$/u.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of seconds.');
};

const help = `
"verify" and "rebuild" read files and call nobody. Exit code 3 when something is not proven, or
when nothing was signed.

Examples:
  $ goldctl proof publish
  $ goldctl proof verify proof.json --key "$(cat published-key.txt)"
  $ goldctl proof rebuild leaves.csv --statement statement.json`;

/** Creates `goldctl proof`, which publishes statements of proof of gold, and verifies them from files. */
export const createProofCommand = (deps: CliDeps): Command => {
  const proof = new Command('proof').addHelpText('after', help);
  withPaging(proof.command('list'))
    .description('list what was made of each statement, newest first, and why one was not signed')
    .action(async (own: Paging, self: Command) => (await load()).listProofs(deps, own, self));
  proof
    .command('publish')
    .description('make a statement of the present moment, and wait for it')
    .option('--wait <seconds>', 'how long to wait', parseSeconds, 300)
    .action(async (own: PublishOptions, self: Command) =>
      (await load()).publishProof(deps, own, self),
    );
  proof
    .command('verify')
    .description("verify a customer's proof, or a statement, without trusting the service")
    .argument('<file>', 'the JSON of GET /portfolio/proof or /public/proof-of-gold')
    .option('--key <public-key>', 'a public key that you already trust')
    .option('--customer <id>', 'the customer whose leaf the proof must contain')
    .option('--grams <grams>', 'the grams that the proof must show, with eight decimals')
    .option('--previous <file>', 'the previous statement, which this one must follow')
    .action(async (file: string, own: VerifyOptions, self: Command) =>
      (await load()).verifyProof(deps, file, own, self),
    );
  proof
    .command('rebuild')
    .description('rebuild the whole tree of a statement from the accounting export')
    .argument('<file>', 'the CSV of GET /gold/proof-of-gold/{sequence}/leaves')
    .requiredOption('--statement <file>', 'the JSON of the statement')
    .option('--key <public-key>', 'a public key that you already trust')
    .action(async (file: string, own: RebuildOptions, self: Command) =>
      (await load()).rebuildProof(deps, file, own, self),
    );
  return proof;
};
