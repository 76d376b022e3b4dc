import type { Command } from 'commander';
import type { OutputForm } from './io/output-forms.ts';

/** The options of every command. */
export interface GlobalOptions {
  readonly context?: string;
  readonly namespace?: string;
  readonly inCluster: boolean;
  readonly output: OutputForm;
  readonly adminUrl?: string;
  readonly email?: string;
  readonly passwordStdin: boolean;
  /** The file of certificates to trust in addition to the system's. */
  readonly caFile?: string;
  /** Allows plain http to other machines. */
  readonly insecure: boolean;
}

/** Reads the global options from any position on the command line. */
export const globalOptionsOf = (command: Command): GlobalOptions => {
  const given = command.optsWithGlobals<Partial<GlobalOptions>>();
  return {
    ...given,
    output: given.output ?? 'table',
    inCluster: given.inCluster ?? false,
    passwordStdin: given.passwordStdin ?? false,
    insecure: given.insecure ?? false,
  };
};
