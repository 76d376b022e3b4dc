import { Prisma } from '../../generated/prisma/client.ts';
import { gramsFromDatabase, gramsToDatabase, type DatabaseDecimal } from '../../money/index.ts';
import type { Grams, Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';

/**
 * A confirm as we know it. INTENDED: about to be asked for, or being asked for, and never before.
 * UNKNOWN: asked for at least once without a final word. REFUSED: it certainly did not happen.
 * DONE: the provider says that it sold the gold.
 */
export type ConfirmStatus = 'INTENDED' | 'UNKNOWN' | 'REFUSED' | 'DONE';

export type ConfirmOperation = 'buy-confirm' | 'sell-confirm';

export interface Confirm {
  readonly id: string;
  readonly orderId: string;
  readonly status: ConfirmStatus;
  readonly providerTxId: string;
  /** What the verify promised. */
  readonly grams: Grams;
  /** The moment before the verify. */
  readonly verifiedAt: Date;
  readonly attempts: number;
  /** Somebody is at it now. */
  readonly isHeld: boolean;
}

type Row = Omit<Confirm, 'grams'> & { readonly grams: DatabaseDecimal };

const columns = Prisma.sql`
  p.id, p.order_id AS "orderId", p.status, p.provider_tx_id AS "providerTxId", p.grams,
  p.verified_at AS "verifiedAt", p.attempts,
  coalesce(p.lease_until > clock_timestamp(), false) AS "isHeld"`;

const toConfirm = (row: Row): Confirm => ({ ...row, grams: gramsFromDatabase(row.grams) });

export interface NewConfirm {
  readonly id: string;
  readonly orderId: string;
  readonly quoteId: string | null;
  readonly userId: string;
  readonly provider: string;
  readonly providerTxId: string;
  readonly grams: Grams;
  readonly amountPaise: Paise | null;
  readonly verifiedAt: Date;
  readonly at: Date;
}

export interface LeftOpen {
  readonly certainlyNot: boolean;
  readonly at: Date;
  readonly reason: string;
}

/**
 * The confirms of one side among the rows of `provider_operation`. A lease is a lock, so it runs on the
 * database's own clock; a holder that lost it changes nothing more under its name.
 */
export const createProviderOperationStore = (
  db: Db,
  operation: ConfirmOperation = 'buy-confirm',
) => {
  const select = async (rest: Prisma.Sql): Promise<Confirm[]> => {
    const rows = await db.$queryRaw<Row[]>`
      SELECT ${columns} FROM provider_operation p
      WHERE p.operation = ${operation} ${rest}`;
    return rows.map(toConfirm);
  };
  const undecided = Prisma.sql`p.status IN ('INTENDED', 'UNKNOWN')`;

  return {
    /** The newest confirm of the order. Read under the order's lock. */
    latest: async (orderId: string) =>
      (
        await select(Prisma.sql`
          AND p.order_id = ${orderId}::uuid ORDER BY p.started_at DESC, p.id DESC LIMIT 1`)
      )[0],

    /** A new intent, held by `holderId`. */
    async intend(confirm: NewConfirm, holderId: string, leaseMs: number): Promise<void> {
      await db.$executeRaw`
        INSERT INTO provider_operation (id, order_id, quote_id, user_id, provider, operation,
          status, provider_tx_id, grams, amount_paise, verified_at, started_at, attempts,
          holder_id, lease_until)
        VALUES (${confirm.id}::uuid, ${confirm.orderId}::uuid, ${confirm.quoteId}::uuid,
          ${confirm.userId}::uuid, ${confirm.provider}, ${operation}, 'INTENDED',
          ${confirm.providerTxId}, ${gramsToDatabase(confirm.grams)}::numeric,
          ${confirm.amountPaise}::bigint, ${confirm.verifiedAt}::timestamptz,
          ${confirm.at}::timestamptz, 1, ${holderId}::uuid,
          clock_timestamp() + ${leaseMs}::int * interval '1 millisecond')`;
    },

    /**
     * Takes over an undecided confirm whose holder, if any, let its lease lapse. It may have been
     * asked for before, so it is UNKNOWN from here on.
     */
    async takeOver(id: string, holderId: string, leaseMs: number): Promise<boolean> {
      const count = await db.$executeRaw`
        UPDATE provider_operation p
        SET status = 'UNKNOWN', attempts = attempts + 1, holder_id = ${holderId}::uuid,
          lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
        WHERE p.id = ${id}::uuid AND ${undecided}
          AND (p.lease_until IS NULL OR p.lease_until <= clock_timestamp())`;
      return count === 1;
    },

    /** Begins the lease anew, before a call; false when it was lost. */
    async holdOn(id: string, holderId: string, leaseMs: number): Promise<boolean> {
      const count = await db.$executeRaw`
        UPDATE provider_operation p
        SET lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
        WHERE p.id = ${id}::uuid AND p.holder_id = ${holderId}::uuid AND ${undecided}
          AND p.lease_until > clock_timestamp()`;
      return count === 1;
    },

    /** Writes that the provider did it: a word that overrules every other. */
    async done(id: string, at: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE provider_operation p
        SET status = 'DONE', settled_at = ${at}::timestamptz, last_asked_at = ${at}::timestamptz,
          detail = NULL, holder_id = NULL, lease_until = NULL
        WHERE p.id = ${id}::uuid AND p.status <> 'DONE'`;
    },

    /** Writes that it will never happen: the provider's final word, or nobody's any more. */
    async neverWill(id: string, at: Date, reason: string): Promise<void> {
      await db.$executeRaw`
        UPDATE provider_operation p
        SET status = 'REFUSED', settled_at = ${at}::timestamptz,
          last_asked_at = ${at}::timestamptz, detail = ${JSON.stringify({ reason })}::jsonb,
          holder_id = NULL, lease_until = NULL
        WHERE p.id = ${id}::uuid AND ${undecided}`;
    },

    /**
     * Lets go of it without a final word. Where the holder's own try certainly did not happen and
     * it was the only one, nothing is left in doubt: REFUSED. False when the lease was lost.
     */
    async letGo(id: string, holderId: string, left: LeftOpen): Promise<boolean> {
      const { certainlyNot, at, reason } = left;
      const count = await db.$executeRaw`
        UPDATE provider_operation p
        SET status = CASE WHEN ${certainlyNot} AND p.status = 'INTENDED' THEN 'REFUSED'
            ELSE 'UNKNOWN' END,
          settled_at = CASE WHEN ${certainlyNot} AND p.status = 'INTENDED'
            THEN ${at}::timestamptz END,
          last_asked_at = ${at}::timestamptz, detail = ${JSON.stringify({ reason })}::jsonb,
          holder_id = NULL, lease_until = NULL
        WHERE p.id = ${id}::uuid AND p.holder_id = ${holderId}::uuid AND ${undecided}`;
      return count === 1;
    },

    /** Remembers that the provider was asked, and had no final word. */
    async noteAsked(id: string, at: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE provider_operation p SET last_asked_at = ${at}::timestamptz
        WHERE p.id = ${id}::uuid AND ${undecided}`;
    },

    /** Undecided ones that nobody is at and nobody has asked about since `before`. */
    listUndecided: (before: Date, limit: number): Promise<Confirm[]> =>
      select(Prisma.sql`
        AND ${undecided} AND (p.last_asked_at IS NULL OR p.last_asked_at < ${before}::timestamptz)
        AND (p.lease_until IS NULL OR p.lease_until <= clock_timestamp())
        ORDER BY p.last_asked_at NULLS FIRST, p.started_at LIMIT ${limit}`),
  };
};
