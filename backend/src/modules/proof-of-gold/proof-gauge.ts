import { Gauge, type Registry } from 'prom-client';
import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';

/** Publishes the age of the newest statement, and whether the newest run was refused. */
export const createProofGauge = ({
  db,
  clock,
  registry,
  logger,
}: {
  readonly db: Pick<Db, 'proofStatement' | 'proofRun'>;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly logger: Pick<Logger, 'warn'>;
}): (() => Promise<void>) => {
  const registers = [registry];
  const age = new Gauge({
    name: 'proof_of_gold_statement_age_seconds',
    help: 'Seconds since the newest statement of proof of gold. Absent before the first one.',
    registers,
  });
  const refused = new Gauge({
    name: 'proof_of_gold_refused',
    help: '1 if the newest finished run signed no statement.',
    registers,
  });
  refused.set(0);
  return async () => {
    try {
      const newest = await db.proofStatement.findFirst({
        orderBy: { sequence: 'desc' },
        select: { publishedAt: true },
      });
      age.reset();
      if (newest !== null) {
        age.set(Math.max(0, msBetween(newest.publishedAt, clock.now())) / 1000);
      }
      const run = await db.proofRun.findFirst({
        where: { status: { in: ['PUBLISHED', 'REFUSED', 'FAILED'] } },
        orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
        select: { status: true },
      });
      refused.set(run === null || run.status === 'PUBLISHED' ? 0 : 1);
    } catch (error) {
      logger.warn({ err: error }, 'the statements of proof of gold could not be read');
    }
  };
};
