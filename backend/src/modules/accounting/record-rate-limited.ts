import type { Request } from 'express';
import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Auditor } from '../audit/index.ts';

interface RateLimitedDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  readonly logger: Logger;
}

const minuteMs = 60_000;
/** Of more addresses in a minute nothing is kept. */
const mostAddresses = 1000;

/**
 * Audits requests beyond the rate limit: the first of an address in a minute at this process. The
 * others write nothing, for a limit that costs a write for each refusal protects no database.
 */
export const createRateLimitedRecorder = (deps: RateLimitedDeps) => {
  const { inTransaction, clock, audit, logger } = deps;
  const seen = new Set<string>();
  let minute = 0;

  return (req: Request): void => {
    const now = clock.now().getTime();
    if (now - (now % minuteMs) !== minute) seen.clear();
    minute = now - (now % minuteMs);
    const { ip = '', requestId, method } = req;
    if (seen.has(ip) || seen.size === mostAddresses) return;
    seen.add(ip);
    const action = 'accounting.refused';
    const after = { code: 'RATE_LIMITED', method };
    inTransaction((tx) =>
      audit.recordRefusal(tx, { action, api: 'accounting', ip, requestId, after }),
    ).catch((error: unknown) => logger.error({ err: error }, 'a refusal was not audited'));
  };
};
