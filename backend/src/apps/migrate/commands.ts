import {
  baselineMigration,
  deployMigrations,
  readStatus,
  resolveMigration,
} from './deploy-migrations.ts';

interface CommandContext {
  readonly url: string;
  readonly print: (line: string) => void;
}

/** Runs a command and returns the exit code. */
type Command = (context: CommandContext, argument: string | undefined) => Promise<number>;

const requireName = (argument: string | undefined): string => {
  if (argument === undefined) throw new Error('this command needs the name of a migration');
  return argument;
};

const printList = (print: CommandContext['print'], title: string, names: string[]): void => {
  print(`${title}: ${names.length === 0 ? 'none' : names.join(', ')}`);
};

/** Every command of the migrate app, with its description for the usage text. */
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
    resolve: {
      about: 'NAME: record a failed migration as rolled back, so that deploy applies it again',
      run: async ({ url, print }, argument) => {
        await resolveMigration({ url }, requireName(argument));
        print('recorded as rolled back');
        return 0;
      },
    },
    baseline: {
      about: 'NAME: record a migration as applied without running it',
      run: async ({ url, print }, argument) => {
        await baselineMigration({ url }, requireName(argument));
        print('recorded as applied');
        return 0;
      },
    },
  };
