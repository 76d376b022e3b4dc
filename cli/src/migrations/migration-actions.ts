import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext } from '../contexts/context.ts';
import { confirmed } from '../desk/ask-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { count } from '../io/count.ts';
import { printResult, renderTable } from '../io/output.ts';
import { migrationStatus, type MigrationStatus } from '../look-ups/look-up-forms.ts';
import { runMigrateProgram } from './run-migrate-program.ts';

/** A migration whose failed record was resolved, as it is printed. */
export const resolvedOutput = z.object({ name: z.string(), resolved: z.literal(true) });

/** Reads the missing and failed migrations by the service's operator command. */
export const readMigrations = (deps: CliDeps, command: Command): Promise<MigrationStatus> =>
  runBackendCommand(deps, resolveContext(deps, globalOptionsOf(command)), {
    args: ['migrate', 'status'],
    answer: migrationStatus,
  });

const render = ({ pending, failed }: MigrationStatus): string => {
  const rows = [
    ...failed.map(({ name, startedAt, reason }) => [
      name,
      'failed',
      startedAt,
      reason ?? 'it was cut off',
    ]),
    ...pending
      .filter((name) => failed.every((migration) => migration.name !== name))
      .map((name) => [name, 'missing', '-', '-']),
  ];
  return rows.length === 0
    ? 'Every migration of this build is applied.'
    : renderTable(['migration', 'state', 'begun', 'what the database said'], rows);
};

/**
 * Prints the state of the migrations.
 * @throws CliError findings if a migration is missing or failed
 */
export const showMigrations = async (deps: CliDeps, command: Command): Promise<void> => {
  const status = await readMigrations(deps, command);
  const { output } = globalOptionsOf(command);
  printResult(deps, output, { data: status, text: render(status) });
  const { pending, failed } = status;
  if (pending.length + failed.length === 0) return;
  throw new CliError(
    `${count(pending.length, 'migration')} missing, ${failed.length} failed`,
    exitCodes.findings,
    '"goldctl help runbook failed-migration" says what to do.',
  );
};

/**
 * Records a failed migration as rolled back.
 * @throws CliError if no such migration failed
 */
export const resolveMigration = async (
  deps: CliDeps,
  name: string,
  { yes }: { readonly yes?: boolean },
  command: Command,
): Promise<void> => {
  const { failed } = await readMigrations(deps, command);
  if (failed.every((migration) => migration.name !== name)) {
    const names = failed.map((migration) => migration.name).join(', ');
    throw new CliError(
      `no failed migration is named ${name}`,
      exitCodes.failed,
      names === '' ? 'No migration failed.' : `Failed: ${names}.`,
    );
  }
  await confirmed(deps, `Record migration ${name} as rolled back?`, yes);
  const options = globalOptionsOf(command);
  await runMigrateProgram(deps, resolveContext(deps, options), ['resolve', name]);
  printResult(deps, options.output, {
    data: { name, resolved: true },
    text: `${name} is recorded as rolled back; the next deployment applies it again.`,
  });
};
