import type { Redis } from 'ioredis';
import { paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { selectRows, sql, type Db, type InTransaction } from '../../platform/db/index.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { createCache } from '../../platform/redis/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { defaultLimits, limitNames, type Limits } from './limits.types.ts';
import { limitsView, presentLimits, toLimits } from './settings.schemas.ts';

export interface LimitsService {
  /** Returns the limits in force, from the cache where it has them. */
  current(): Promise<Limits>;
  /** Replaces all limits, with the audit row in the same transaction. */
  replace(limits: Limits, principal: AdminPrincipal, context: RequestContext): Promise<void>;
}

/** The one row of `limits_setting`. */
const rowId = 1;

const findLimits = async (db: Db): Promise<Limits> => {
  const row = await db.limitsSetting.findUnique({ where: { id: rowId } });
  if (row === null) return defaultLimits;
  const entries = limitNames.map((name) => [name, paise(row[name])] as const);
  return { ...defaultLimits, ...Object.fromEntries(entries) };
};

/** Locks the limits until the transaction ends, so that the audit row shows what was replaced. */
const lockLimits = async (tx: Db): Promise<void> => {
  await selectRows(tx, sql`SELECT id FROM limits_setting WHERE id = ${rowId} FOR UPDATE`);
};

const upsertLimits = async (
  tx: Db,
  limits: Limits,
  updatedBy: string,
  updatedAt: Date,
): Promise<void> => {
  const data = { ...limits, updatedBy, updatedAt };
  await tx.limitsSetting.upsert({
    where: { id: rowId },
    create: { id: rowId, ...data },
    update: data,
  });
};

const cacheKey = 'current';
/** Bounds the time for which a replica may serve limits that another one has just replaced. */
const cacheTtlMs = 10_000;

/** PostgreSQL keeps the limits; the cache only serves them, and its loss changes nothing. */
export const createLimits = (options: {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly audit: Auditor;
}): LimitsService => {
  const { db, inTransaction, clock, audit } = options;
  const cache = createCache({
    redis: options.redis,
    prefix: 'limits',
    schema: limitsView,
    ttlMs: cacheTtlMs,
  });
  return {
    async current() {
      const cached = await cache.get(cacheKey);
      if (cached !== undefined) return toLimits(cached);
      const limits = await findLimits(db);
      await cache.set(cacheKey, presentLimits(limits));
      return limits;
    },

    async replace(limits, principal, context) {
      await inTransaction(async (tx) => {
        await lockLimits(tx);
        const before = await findLimits(tx);
        await audit.record(tx, {
          action: 'config.limits.replace',
          ...adminActor(principal, context),
          target: { type: 'limits', id: 'limits' },
          before: presentLimits(before),
          after: presentLimits(limits),
        });
        await upsertLimits(tx, limits, principal.adminId, clock.now());
      });
      await cache.del(cacheKey);
    },
  };
};
