import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import type { GlobalOptions } from '../global-options.ts';

const overviewForm = z.looseObject({ orders: z.looseObject({ manualReview: z.int() }) });
const runsForm = z.looseObject({
  items: z.array(
    z.looseObject({
      finishedAt: z.string().nullable(),
      summary: z.looseObject({ findings: z.int(), errors: z.int() }).nullable(),
    }),
  ),
});
const totalForm = z.looseObject({ total: z.int() });

/** The newest run of reconciliation that has finished. */
export interface LastRun {
  readonly finishedAt: Date;
  readonly findings: number;
  readonly errors: number;
}

/** The work that waits for an operator. */
export interface Waiting {
  readonly reviews: number;
  readonly failedPayouts: number;
  /** Undefined if none of the newest runs has finished. */
  readonly lastRun: LastRun | undefined;
}

/** The work that waits for an operator, by the admin API, or the reason why it is not known. */
export type OperationsReport =
  | ({ readonly kind: 'received' } & Waiting)
  | { readonly kind: 'not-asked'; readonly detail: string };

const failedStatuses = ['FAILED', 'REVERSED'] as const;

const lastRunOf = ({ items }: z.output<typeof runsForm>): LastRun | undefined => {
  const [last] = items.flatMap(({ finishedAt, summary }) =>
    finishedAt === null || summary === null
      ? []
      : [{ finishedAt: new Date(finishedAt), ...summary }],
  );
  return last;
};

/** Requests the counts of waiting work. Throws only if interrupted. */
export const fetchOperations = async (
  deps: CliDeps,
  options: GlobalOptions,
): Promise<OperationsReport> => {
  if (options.inCluster && options.adminUrl === undefined) {
    return {
      kind: 'not-asked',
      detail: 'In a pod, this check needs --admin-url to reach the admin API.',
    };
  }
  try {
    return await withAdmin(deps, options, async ({ api }) => {
      const { orders } = await api(overviewForm, (client) => client.get('/v1/dashboard/overview'));
      let failedPayouts = 0;
      for (const status of failedStatuses) {
        const query = { status, limit: 1 };
        const { total } = await api(totalForm, (client) => client.get('/v1/payouts', { query }));
        failedPayouts += total;
      }
      const runs = await api(runsForm, (client) =>
        client.get('/v1/reconciliation/runs', { query: { page: 1, limit: 10 } }),
      );
      const reviews = orders.manualReview;
      return { kind: 'received', reviews, failedPayouts, lastRun: lastRunOf(runs) } as const;
    });
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!(error instanceof CliError)) throw error;
    return { kind: 'not-asked', detail: `The admin API did not report it: ${error.message}` };
  }
};
