import { atOneMoment, databaseRules, findBrokenRules } from '../../modules/reconciliation/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { createClient, type Db } from '../../platform/db/index.ts';
import { missingMigrations } from '../../platform/db/migrations.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  findAuditEntry,
  findAuditRow,
  countCodesByClientAddress,
  listFailedMigrations,
  listOverdueDebits,
  listTicks,
  readDatabaseStatus,
  readKeyUses,
} from './look-ups.ts';
import type { OperatorCommand } from './parse-command.ts';

/** The names of the commands that only read. */
const lookUps = [
  'audit entry',
  'audit row',
  'codes addresses',
  'database rules',
  'database status',
  'debit list',
  'keys status',
  'migrate status',
  'price ticks',
] as const;

type LookUp = Extract<OperatorCommand, { name: (typeof lookUps)[number] }>;

interface LookUpDeps {
  readonly database: { readonly db: Db };
  readonly databaseUrl: string;
  readonly clock: Clock;
}

/** Returns true for a command that only reads. */
export const isLookUp = (command: OperatorCommand): command is LookUp =>
  lookUps.some((name) => name === command.name);

const requireFound = <T>(value: T | undefined): T => {
  if (value === undefined) throw new AppError('NOT_FOUND');
  return value;
};

/**
 * Checks every rule of the database on one snapshot. A row that breaks a rule is listed by its ids.
 */
const checkRules = async (url: string) => {
  const client = createClient({ connectionString: url });
  await client.connect();
  try {
    const broken = await atOneMoment(client, () => findBrokenRules(client));
    return { rules: databaseRules.length, broken };
  } finally {
    await client.end();
  }
};

/**
 * Runs one reading command and returns the document to print.
 * @throws AppError NOT_FOUND
 */
export const runLookUp = async (command: LookUp, deps: LookUpDeps): Promise<unknown> => {
  const { db } = deps.database;
  switch (command.name) {
    case 'audit entry':
      return requireFound(await findAuditEntry(db, command.number));
    case 'audit row':
      return requireFound(await findAuditRow(db, command.id));
    case 'codes addresses':
      return countCodesByClientAddress(db);
    case 'database rules':
      return checkRules(deps.databaseUrl);
    case 'database status':
      return requireFound((await readDatabaseStatus(db)) ?? undefined);
    case 'debit list':
      return listOverdueDebits(db, deps.clock.now());
    case 'keys status':
      return readKeyUses(db);
    case 'migrate status':
      return { pending: await missingMigrations(db), failed: await listFailedMigrations(db) };
    case 'price ticks':
      return listTicks(db, deps.clock.now());
    default:
      return command satisfies never;
  }
};
