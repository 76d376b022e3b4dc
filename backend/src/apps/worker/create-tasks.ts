import type { TaskList } from '../../platform/jobs/index.ts';
import type { Services } from '../../runtime/create-services.ts';

interface HasJobs {
  readonly jobs: TaskList;
}

/** Returns every kind of job that the worker takes, by its name. */
export const createTasks = (
  { gold, payments, banking, payouts }: Services,
  { kycEvents, books }: { readonly kycEvents: HasJobs; readonly books: HasJobs },
): TaskList => ({
  ...gold.jobs,
  ...payments.jobs,
  ...banking.jobs,
  ...payouts.jobs,
  ...kycEvents.jobs,
  ...books.jobs,
});
