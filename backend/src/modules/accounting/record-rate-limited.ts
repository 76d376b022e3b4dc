import type { Request } from 'express';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Auditor, Refusal } from '../audit/index.ts';

interface RateLimitedDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly audit: Auditor;
  readonly logger: Pick<Logger, 'error'>;
}

export interface RateLimitedRecorder {
  /** Records that a request was beyond the rate limit. */
  readonly record: (req: Request) => void;
  /** Writes the counts that are still in memory. */
  readonly flush: () => Promise<void>;
}

const minuteMs = 60_000;
/**
 * The time in ms for which counts stay in memory. A rate limit that costs a write for each refusal
 * would not protect the database.
 */
const flushMs = 5000;
/**
 * The maximum number of addresses that are counted separately in a minute, which bounds the memory.
 * Further addresses are counted together as `*`.
 */
const maxAddresses = 1000;

/**
 * Creates the recorder of requests beyond the rate limit. The first request of an address in a
 * minute is written to the audit log at once. The others are counted in memory, and their number is
 * written within five seconds (contract: accounting > Portal refusals).
 */
export const createRateLimitedRecorder = (deps: RateLimitedDeps): RateLimitedRecorder => {
  const { inTransaction, clock, timers, audit, logger } = deps;
  const seen = new Set<string>();
  const waiting = new Map<string, Refusal & { times: number }>();
  let minute = 0;
  let isFlushDue = false;

  const write = async (refusal: Refusal): Promise<void> => {
    try {
      await inTransaction((tx) => audit.recordRefusal(tx, refusal));
    } catch (error) {
      const { ip, times = 1 } = refusal;
      logger.error({ err: error, ip, times }, 'refusals were not audited');
    }
  };
  const flush = async (): Promise<void> => {
    const refusals = [...waiting.values()];
    waiting.clear();
    for (const refusal of refusals) await write(refusal);
  };
  const flushLater = async (): Promise<void> => {
    if (isFlushDue) return;
    isFlushDue = true;
    await timers.sleep(flushMs);
    isFlushDue = false;
    await flush();
  };

  const record = (req: Request): void => {
    const now = clock.now().getTime();
    if (now - (now % minuteMs) !== minute) seen.clear();
    minute = now - (now % minuteMs);
    const { requestId, method } = req;
    const address = req.ip ?? '';
    const ip = seen.has(address) || seen.size < maxAddresses ? address : '*';
    const after = { code: 'RATE_LIMITED', method };
    const refusal = {
      action: 'accounting.refused',
      api: 'accounting',
      ip,
      requestId,
      after,
    } as const;
    if (seen.has(ip)) {
      waiting.set(ip, { ...refusal, times: (waiting.get(ip)?.times ?? 0) + 1 });
      void flushLater();
      return;
    }
    seen.add(ip);
    void write(refusal);
  };
  return { record, flush };
};
