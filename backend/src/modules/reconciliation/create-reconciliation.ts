import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { AskLimits } from './ask-each.ts';
import { allChecks } from './checks/all-checks.ts';
import { createRead } from './create-read.ts';
import { createReconciliationAdminRoutes } from './reconciliation.admin.routes.ts';
import type { Collaborators, Report } from './reconciliation.types.ts';
import { runReport } from './run-report.ts';

export interface ReconciliationDeps extends Omit<Collaborators, 'payoutProvider'> {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly payoutProvider?: Collaborators['payoutProvider'];
  readonly limits?: AskLimits;
}

/**
 * RazorpayX asks for at most 5 to 10 calls a second (collaborators, 2.4), an answer over the
 * network takes some tenths of one; a request is not kept waiting for much longer than this.
 */
const usualLimits: AskLimits = { most: 1000, atATime: 3, withinMs: 15_000 };

/** The reconciliation report: it owns no data, and changes none. */
export const createReconciliation = (
  deps: ReconciliationDeps,
): {
  readonly adminRoutes: Route[];
  report(windowHours: number): Promise<Report>;
} => {
  const { inTransaction, clock, logger, limits = usualLimits } = deps;
  const { gateways, goldProvider, payoutProvider } = deps;
  const read = createRead(inTransaction);
  const context = { read, limits, gateways, goldProvider, payoutProvider };
  const running = new Map<number, Promise<Report>>();

  /** Whoever asks while a report of this window is being made gets that one. */
  const report = (windowHours: number): Promise<Report> => {
    const known = running.get(windowHours);
    if (known !== undefined) return known;
    const now = clock.now();
    const made = runReport({ checks: allChecks, context, now, windowHours, logger }).finally(() =>
      running.delete(windowHours),
    );
    running.set(windowHours, made);
    return made;
  };

  return { adminRoutes: createReconciliationAdminRoutes(report), report };
};
