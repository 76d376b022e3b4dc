import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import type { Context } from '../contexts/context.ts';
import { databaseStatus, type DatabaseStatus } from '../look-ups/look-up-forms.ts';

/** The state of the database, or the reason why it is not known. */
export type DatabaseReport =
  | { readonly kind: 'received'; readonly status: DatabaseStatus }
  | { readonly kind: 'not-asked'; readonly detail: string };

/**
 * Runs the service's operator command to get the state of the database. Throws only if interrupted.
 */
export const fetchDatabase = async (deps: CliDeps, context: Context): Promise<DatabaseReport> => {
  // By default a pod has no right to run commands in other pods.
  if (context.kind === 'pod' || (context.kind === 'kube' && context.inCluster)) {
    return { kind: 'not-asked', detail: 'This check only runs from outside the cluster.' };
  }
  try {
    const request = { args: ['database', 'status'], answer: databaseStatus };
    return { kind: 'received', status: await runBackendCommand(deps, context, request) };
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof CliError)) throw error;
    return { kind: 'not-asked', detail: `The service can't query it: ${error.message}` };
  }
};
