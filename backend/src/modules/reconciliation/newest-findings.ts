import type { Db } from '../../platform/db/index.ts';
import { rulesRun } from './request-run.ts';
import { usualHours } from './reconciliation.schemas.ts';
import type { CheckId } from './reconciliation.types.ts';
import { findNewestRun, type Run } from './runs.store.ts';

/** The numbers of findings in the newest stored runs. A part is null if it has no run. */
export interface NewestFindings {
  readonly report: {
    readonly at: Date;
    readonly checks: { id: CheckId; count: number; isError: boolean }[];
  } | null;
  readonly rules: {
    readonly at: Date;
    readonly invariants: { invariant: number; count: number; errors: number }[];
    readonly drift: { place: string; amount: string }[];
  } | null;
}

/** Adds up the findings of the rules that check one invariant. */
const byInvariant = ({ rules }: NonNullable<Run['rules']>) => {
  const sums = new Map<number, { invariant: number; count: number; errors: number }>();
  for (const { invariant, status, count } of rules) {
    const sum = sums.get(invariant) ?? { invariant, count: 0, errors: 0 };
    sum.count += count;
    if (status === 'ERROR') sum.errors += 1;
    sums.set(invariant, sum);
  }
  return [...sums.values()];
};

/** Reads the findings of the newest runs of the usual window and of the rules. */
export const readNewestFindings = async (db: Db): Promise<NewestFindings> => {
  const report = (await findNewestRun(db, { kind: 'REPORT', windowHours: usualHours }))?.report;
  const rules = (await findNewestRun(db, rulesRun))?.rules;
  return {
    report:
      report === undefined
        ? null
        : {
            at: report.generatedAt,
            checks: report.checks.map(({ id, count, status }) => ({
              id,
              count,
              isError: status === 'ERROR',
            })),
          },
    rules:
      rules === undefined
        ? null
        : {
            at: rules.generatedAt,
            invariants: byInvariant(rules),
            drift: rules.drift.map(({ place, amount }) => ({ place, amount })),
          },
  };
};
