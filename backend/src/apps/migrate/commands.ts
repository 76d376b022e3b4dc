import type { Clock } from '../../platform/clock/clock.ts';
import { createMigration } from './create-migration.ts';
import { deployMigrations } from './deploy.ts';
import { findDrift } from './drift.ts';
import { markApplied, markRolledBack } from './resolve.ts';
import { readStatus } from './status.ts';

export interface CommandContext {
  readonly url: string;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

/** Answers the exit code. */
type Command = (context: CommandContext, argument: string | undefined) => Promise<number>;

const named = (argument: string | undefined): string => {
  if (argument === undefined) throw new Error('this command needs the name of a migration');
  return argument;
};

const printList = (print: CommandContext['print'], title: string, names: string[]): void => {
  print(`${title}: ${names.length === 0 ? 'none' : names.join(', ')}`);
};

/** Every command of the migrate app, with what it does. */
export const commands: Readonly<Record<string, { readonly about: string; readonly run: Command }>> =
  {
    deploy: {
      about: 'apply what is missing, then the job queue and its rights (the default)',
      run: async ({ url, print }) => {
        await deployMigrations({ url, log: print });
        return 0;
      },
    },
    status: {
      about: 'compare the files with the database; exit code 2 when they differ',
      run: async ({ url, print }) => {
        const { pending, failed, edited, unknown } = await readStatus({ url });
        printList(print, 'pending', pending);
        printList(print, 'failed', failed);
        printList(print, 'edited after they were applied', edited);
        printList(print, 'applied, but not known to this build', unknown);
        return pending.length + failed.length + edited.length === 0 ? 0 : 2;
      },
    },
    create: {
      about: 'NAME: write the migration from the present ones to the schema (needs CREATEDB)',
      run: async ({ url, clock, print }, argument) => {
        const directory = await createMigration({ url, name: named(argument), clock });
        print(directory === undefined ? 'nothing to create' : `wrote ${directory}`);
        return 0;
      },
    },
    check: {
      about:
        'compare schema, migrations and database (needs CREATEDB); exit code 2 when they differ',
      run: async ({ url, print }) => {
        const { migrationsToSchema, databaseToSchema } = await findDrift({ url });
        print(`migrations and schema: ${migrationsToSchema ?? 'in step'}`);
        print(`database and schema: ${databaseToSchema ?? 'in step'}`);
        return migrationsToSchema === undefined && databaseToSchema === undefined ? 0 : 2;
      },
    },
    resolve: {
      about: 'NAME: record a failed migration as rolled back, so that deploy plays it again',
      run: async ({ url, print }, argument) => {
        await markRolledBack({ url }, named(argument));
        print('recorded as rolled back');
        return 0;
      },
    },
    baseline: {
      about: 'NAME: record a migration as applied without playing it',
      run: async ({ url, print }, argument) => {
        await markApplied({ url }, named(argument));
        print('recorded as applied');
        return 0;
      },
    },
  };
