import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../migrations/migration-actions.ts');

const help = `
A deployment applies a migration that failed again by itself. A failed one that the build does not
know, of a newer version that was taken back, is resolved by hand. In a cluster this runs a job like
the release's own, since only that has the password of the schema's owner.

Examples:
  $ goldctl migrate status
  $ goldctl --context prod migrate resolve 20270115171200_stock_and_cash --yes`;

/** Creates `goldctl migrate`, which shows the migrations, and resolves a failed migration. */
export const createMigrateCommand = (deps: CliDeps): Command => {
  const migrate = new Command('migrate').addHelpText('after', help);
  migrate
    .command('status')
    .description('show migrations that are missing or failed; exit code 3 if there are any')
    .action(async (_options: unknown, self: Command) => (await load()).showMigrations(deps, self));
  migrate
    .command('resolve')
    .description('record a failed migration as rolled back, so that it is applied again')
    .argument('<name>', "the migration's name")
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (name: string, own: { yes?: boolean }, self: Command) =>
      (await load()).resolveMigration(deps, name, own, self),
    );
  return migrate;
};
