import type { Redis } from 'ioredis';
import type { RevocationList } from '../../platform/auth/revocation-list.ts';
import { addSeconds, msBetween, type Clock } from '../../platform/clock/clock.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { createTimers, type Timers } from '../../platform/clock/timers.ts';
import { revokedSeconds } from './session-lifetimes.ts';

interface EndedSession {
  readonly id: string;
  readonly revokedAt: Date;
}

const findEndedSince = (db: Db, since: Date): Promise<EndedSession[]> =>
  selectRows<EndedSession>(
    db,
    sql`SELECT id, revoked_at AS "revokedAt" FROM session
      WHERE revoked_at > ${since}::timestamptz`,
  );

interface RelistDeps {
  readonly redis: Redis;
  readonly db: Db;
  readonly clock: Clock;
  readonly revocations: RevocationList;
  readonly onError: (error: unknown) => void;
  readonly timers?: Timers;
}

/** Relists at most once in this time, even if the connection is lost more often. */
const pauseMs = 1000;

/**
 * Puts every session that ended within the lifetime of an access token on the revocation list
 * again, each time that the cache reconnects. The cache then lacks the sessions that ended while it
 * was unreachable. It may also be empty, or a replica that lacks the last ones (contract:
 * identity-and-kyc > Authenticated requests).
 */
export const relistEndedSessions = (deps: RelistDeps): void => {
  const { redis, db, clock, revocations, onError, timers = createTimers() } = deps;
  let isDue = false;
  let isRunning = false;
  const relist = async (): Promise<void> => {
    const now = clock.now();
    const endedSessions = await findEndedSince(db, addSeconds(now, -revokedSeconds));
    await Promise.all(
      endedSessions.map(({ id, revokedAt }) =>
        revocations.revoke([id], revokedSeconds - msBetween(revokedAt, now) / 1000),
      ),
    );
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isDue) {
      isDue = false;
      await relist().catch(onError);
      await timers.sleep(pauseMs);
    }
    isRunning = false;
  };
  redis.on('ready', () => {
    isDue = true;
    if (!isRunning) void run();
  });
};
