import type { Bps } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { FetchLimits } from './fetch-each.ts';
import { allChecks } from './checks/all-checks.ts';
import { createRead } from './create-read.ts';
import { createReconciliationAdminRoutes } from './reconciliation.admin.routes.ts';
import type { Collaborators, Report } from './reconciliation.types.ts';
import { runReport } from './run-report.ts';

interface ReconciliationDeps extends Omit<Collaborators, 'payoutProvider'> {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly payoutProvider?: Collaborators['payoutProvider'];
  /** The tolerance towards the provider's price (contract: money > Provider's price). */
  readonly priceToleranceBps: Bps;
  readonly limits?: FetchLimits;
}

/**
 * RazorpayX allows 5 to 10 calls a second, and one takes some tenths of a second; an operator's
 * request should not wait much longer than 15 s.
 */
const usualLimits: FetchLimits = { most: 1000, concurrency: 3, withinMs: 15_000 };

/** Wires the reconciliation report, which owns no data and changes none. */
export const createReconciliation = (
  deps: ReconciliationDeps,
): {
  readonly adminRoutes: Route[];
  report(windowHours: number): Promise<Report>;
} => {
  const { inTransaction, clock, logger, limits = usualLimits } = deps;
  const { gateways, goldProvider, payoutProvider, priceToleranceBps } = deps;
  const read = createRead(inTransaction);
  const context = { read, limits, gateways, goldProvider, payoutProvider, priceToleranceBps };
  const running = new Map<number, Promise<Report>>();

  /** Returns the report of this window that is being made, where there is one. */
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
