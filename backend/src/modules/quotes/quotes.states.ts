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
    CONSUMED: { allowedActors: ['customer'], reason: 'a purchase or sale consumed it' },
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
 * Consumes a quote that its purchase or sale has locked. Returns false if the quote is no longer
 * ACTIVE or its life has ended.
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

const toExpired = { from: ['ACTIVE'], to: 'EXPIRED' } as const;

/**
 * Expires the active buy quotes of a customer, except the newest `keptCount`, and returns their
 * number. The customer's holding must be locked.
 */
export const supersedeBuyQuotes = (
  deps: TransitionDeps,
  tx: Db,
  userId: string,
  keptCount: number,
): Promise<number> => {
  const update = (): Promise<number> =>
    execute(
      tx,
      sql`
        UPDATE gold_quote SET status = 'EXPIRED', updated_at = ${deps.clock.now()}::timestamptz
        WHERE status = 'ACTIVE' AND id IN (
          SELECT id FROM gold_quote
          WHERE user_id = ${userId}::uuid AND kind = 'BUY' AND status = 'ACTIVE'
          ORDER BY created_at DESC, id DESC OFFSET ${keptCount}::int)`,
    );
  const actor = `customer:${userId}`;
  return transitionMany(machineOf(deps), { ...toExpired, actor, cause: 'superseded', update });
};

/**
 * Expires at most `limit` quotes whose life has ended, and returns their number. Skips quotes that a
 * purchase or sale has locked.
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
  const step = { ...toExpired, actor: 'worker', cause: 'expired' } as const;
  return transitionMany(machineOf(deps), { ...step, update });
};
