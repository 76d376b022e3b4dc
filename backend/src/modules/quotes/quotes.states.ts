import { execute, sql, type Db } from '../../platform/db/index.ts';
import {
  transitionMany,
  tryTransition,
  type Machine,
  type TransitionTable,
} from '../../platform/transitions/transitions.ts';
import type { GoldBase, QuoteStatus } from './quotes.types.ts';

/** Every transition of a quote, of either kind (contract: states > Quote). */
export const quoteTransitions: TransitionTable<QuoteStatus, 'customer' | 'worker'> = {
  ACTIVE: {
    CONSUMED: { allowedActors: ['customer'], reason: 'a buy or sale took it, once' },
    EXPIRED: {
      allowedActors: ['customer', 'worker'],
      reason: 'newer quotes of the customer superseded it, or its life ended',
    },
  },
  CONSUMED: {},
  EXPIRED: {},
};

type TransitionDeps = Pick<GoldBase, 'clock' | 'logger'>;

const machineOf = ({ logger }: TransitionDeps): Machine<QuoteStatus> => ({
  name: 'quote',
  idField: 'quoteId',
  table: quoteTransitions,
  logger,
});

/**
 * Uses up a quote that its buy or sale has locked. Returns false when it is not active any more, or
 * its life has ended.
 */
export const consumeQuote = (
  deps: TransitionDeps,
  tx: Db,
  { id, userId }: { readonly id: string; readonly userId: string },
  cause: 'buy' | 'sale',
): Promise<boolean> => {
  const at = deps.clock.now();
  const update = async (): Promise<number> => {
    const { count } = await tx.goldQuote.updateMany({
      where: { id, status: 'ACTIVE', expiresAt: { gt: at } },
      data: { status: 'CONSUMED', consumedAt: at, updatedAt: at },
    });
    return count;
  };
  const step = { from: 'ACTIVE', to: 'CONSUMED', actor: `customer:${userId}`, cause } as const;
  return tryTransition(machineOf(deps), { id, ...step, update });
};

const lapse = { from: ['ACTIVE'], to: 'EXPIRED' } as const;

/**
 * Expires all of a customer's buy quotes but the newest `kept`. Returns how many. Exact only with
 * the customer's holding locked.
 */
export const supersedeBuyQuotes = (
  deps: TransitionDeps,
  tx: Db,
  userId: string,
  kept: number,
): Promise<number> => {
  const update = (): Promise<number> =>
    execute(
      tx,
      sql`
        UPDATE gold_quote SET status = 'EXPIRED', updated_at = ${deps.clock.now()}::timestamptz
        WHERE status = 'ACTIVE' AND id IN (
          SELECT id FROM gold_quote
          WHERE user_id = ${userId}::uuid AND kind = 'BUY' AND status = 'ACTIVE'
          ORDER BY created_at DESC, id DESC OFFSET ${kept}::int)`,
    );
  const actor = `customer:${userId}`;
  return transitionMany(machineOf(deps), { ...lapse, actor, cause: 'superseded', update });
};

/**
 * Expires at most `limit` quotes whose life has ended. Returns how many. Skips what a buy or sale
 * has locked at this moment.
 */
export const expireQuotes = (deps: TransitionDeps, db: Db, limit: number): Promise<number> => {
  const now = deps.clock.now();
  const update = (): Promise<number> =>
    execute(
      db,
      sql`
        UPDATE gold_quote SET status = 'EXPIRED', updated_at = ${now}::timestamptz
        WHERE id IN (
          SELECT id FROM gold_quote
          WHERE status = 'ACTIVE' AND expires_at <= ${now}::timestamptz
          ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
    );
  return transitionMany(machineOf(deps), { ...lapse, actor: 'worker', cause: 'expired', update });
};
