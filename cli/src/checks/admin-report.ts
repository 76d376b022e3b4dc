import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { RefusalError } from '../clients/admin-api.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import type { GlobalOptions } from '../global-options.ts';

const reportAnswer = z.object({
  ready: z.boolean(),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      blocking: z.boolean(),
      status: z.enum(['PASS', 'FAIL', 'UNKNOWN']),
      detail: z.string(),
      /** The reason why the item passes now but will soon fail. */
      warning: z.string().optional(),
    }),
  ),
});

export type ReportItem = z.infer<typeof reportAnswer>['items'][number];

/** The admin API's readiness report, or the reason why there is none. */
export type AdminReport =
  | { readonly kind: 'received'; readonly items: readonly ReportItem[] }
  /** No operator is signed in, so the report was not requested. */
  | { readonly kind: 'signed-out'; readonly detail: string; readonly hint: string | undefined }
  /** The API refuses the credentials, or their role. */
  | { readonly kind: 'refused'; readonly detail: string; readonly hint: string | undefined }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly hint: string | undefined };

const signedOut: AdminReport = {
  kind: 'signed-out',
  detail: 'In a pod, goldctl needs --admin-url to reach the admin API.',
  hint: 'Give --admin-url http://<service>:<port>, and an operator’s credentials.',
};

/** Returns true for a refusal of the cluster, which has a status. No sign-in is missing then. */
const isRefusedByCluster = (error: CliError): boolean => 'status' in error;

const reportOfError = (error: CliError): AdminReport => {
  const { message: detail, hint, exitCode } = error;
  if (exitCode === exitCodes.denied && !isRefusedByCluster(error)) {
    return { kind: error instanceof RefusalError ? 'refused' : 'signed-out', detail, hint };
  }
  return { kind: 'unavailable', detail, hint };
};

/**
 * Requests the readiness report of the admin API. Prompts for a password only with `--email`. Throws
 * only for a wrong command line, or if interrupted.
 */
export const fetchAdminReport = async (
  deps: CliDeps,
  options: GlobalOptions,
): Promise<AdminReport> => {
  if (options.inCluster && options.adminUrl === undefined) return signedOut;
  try {
    const { items } = await withAdmin(deps, options, ({ api }) =>
      api(reportAnswer, (client) => client.get('/v1/readiness')),
    );
    return { kind: 'received', items };
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof CliError) || error.exitCode === exitCodes.usage) throw error;
    return reportOfError(error);
  }
};
