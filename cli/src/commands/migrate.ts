import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../migrations/migration-actions.ts');

const help = `
The next deployment retries a failed migration automatically. If this build does not contain the failed
migration, because a newer version was rolled back, resolve it by hand. In a cluster, resolve runs as a
job like the release's migration job, which has the password of the schema's owner.

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
