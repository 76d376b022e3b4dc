import type { Clock } from '../../platform/clock/clock.ts';
import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { Agreements } from './reconciliation.types.ts';

/** Stores the rows that collaborators agreed with, so that several runs together cover a window. */
export const createAgreements = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Agreements => ({
  async find({ collaborator, kind }, subjects) {
    const rows = await selectRows<{ subject: string; fingerprint: string }>(
      db,
      sql`
        SELECT subject, print AS fingerprint FROM reconciliation_agreement
        WHERE collaborator = ${collaborator} AND kind = ${kind}
          AND subject = ANY (${[...subjects]}::text[])`,
    );
    return new Map(rows.map(({ subject, fingerprint }) => [subject, fingerprint]));
  },

  async keep({ collaborator, kind }, rows) {
    if (rows.length === 0) return;
    await execute(
      db,
      sql`
        INSERT INTO reconciliation_agreement (collaborator, kind, subject, print, agreed_at)
        SELECT ${collaborator}, ${kind}, kept.subject, kept.print, ${clock.now()}::timestamptz
        FROM unnest(${rows.map(({ subject }) => subject)}::text[],
          ${rows.map(({ fingerprint }) => fingerprint)}::text[]) AS kept (subject, print)
        ON CONFLICT (collaborator, kind, subject)
        DO UPDATE SET print = excluded.print, agreed_at = excluded.agreed_at`,
    );
  },

  async forget({ collaborator, kind }, subjects) {
    if (subjects.length === 0) return;
    await execute(
      db,
      sql`
        DELETE FROM reconciliation_agreement
        WHERE collaborator = ${collaborator} AND kind = ${kind}
          AND subject = ANY (${[...subjects]}::text[])`,
    );
  },
});
