import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { floorToTraded, valueOf, ZERO_GRAMS, type Grams } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { eraseKeys } from '../../platform/idempotency/index.ts';
import { eraseAccounts } from '../banking/index.ts';
import { forfeitHolding, lockHolding, readHolding } from '../holdings/index.ts';
import {
  announceSessionsEnd,
  checkCode,
  eraseUser,
  hashesOfPhone,
  lockCodeGuards,
  lockUserForDeletion,
  refusalOf,
  type CustomerPrincipal,
  type UserToErase,
} from '../identity/index.ts';
import { eraseKyc } from '../kyc/index.ts';
import { deleteNotifications } from '../notifications/index.ts';
import { closedInstallmentPollMs } from '../payments/index.ts';
import type { LivePrice } from '../price/index.ts';
import { eraseProductOrders } from '../product-orders/index.ts';
import { keepFormerBuyer } from '../referrals/index.ts';
import { keepOpenTickets } from '../support/index.ts';
import type { AccountDeletionDeps } from './account-deletion.types.ts';

/**
 * Returns true while anything of the customer's is not finished (contract: identity-and-kyc >
 * Deletion). It reads the tables of the modules that own them, in one statement. With the user
 * locked nothing new can begin meanwhile.
 */
const hasWorkInProgress = async (tx: Db, userId: string, now: Date): Promise<boolean> => {
  const row = await selectOne<{ busy: boolean }>(
    tx,
    sql`
      SELECT
        -- A FAILED purchase can still be paid while its price lock stands.
        EXISTS (SELECT FROM gold_order o WHERE o.user_id = ${userId}::uuid AND (
          o.status NOT IN ('ALLOCATED', 'COMPLETED', 'FAILED')
          OR (o.status = 'FAILED' AND o.type <> 'SELL' AND o.lock_ends_at > ${now}::timestamptz)))
        -- A checkout that is open, or a debit without an outcome that is still asked about.
        OR EXISTS (SELECT FROM payment_order p WHERE p.user_id = ${userId}::uuid AND (
          p.status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
          OR (p.status = 'EXPIRED' AND p.debit_status IN ('INTENDED', 'ACCEPTED', 'UNKNOWN')
            AND p.updated_at > ${addMs(now, -closedInstallmentPollMs)}::timestamptz
            AND NOT EXISTS (SELECT FROM gateway_payment g WHERE g.payment_order_id = p.id))))
        -- A payout that failed or came back is still owed.
        OR EXISTS (SELECT FROM payout p
          WHERE p.user_id = ${userId}::uuid AND p.status <> 'PAID')
        OR EXISTS (SELECT FROM sip_plan s
          WHERE s.user_id = ${userId}::uuid AND s.status IN ('ACTIVE', 'PAUSED'))
        OR EXISTS (SELECT FROM product_order o WHERE o.user_id = ${userId}::uuid
          AND o.status IN ('PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED'))
        -- An accepted event that waits to be applied could not be opened any more.
        OR EXISTS (SELECT FROM webhook_event e
          WHERE e.sealed_for_user_id = ${userId}::uuid AND e.status = 'PENDING') AS busy`,
  );
  return row?.busy === true;
};

const dayMs = 24 * 60 * 60_000;

interface DeletionConfirmation {
  readonly otp: string;
  /** Gives up gold that is worth less than the provider buys. */
  readonly forfeitGold: boolean;
  /** The client's address. */
  readonly ip: string;
}

/** Returns true for gold that the provider would not buy, at its price or at ours. */
const isBelowSmallestSale = (
  balance: Grams,
  live: LivePrice,
  { provider }: Pick<AccountDeletionDeps, 'provider'>,
): boolean => {
  const grams = floorToTraded(balance);
  const { minimumSellPaise } = provider.rules;
  return (
    valueOf(grams, live.sellPaise) < minimumSellPaise ||
    valueOf(grams, live.providerSellPaise) < minimumSellPaise
  );
};

/**
 * Forfeits the small remaining balance to the house. The caller has locked the holding and the
 * user, and `live` is the price if there was a balance.
 * @throws AppError HOLDING_NOT_EMPTY for anything more, or without the customer's consent
 */
const emptyHolding = async (
  deps: AccountDeletionDeps,
  tx: Db,
  { userId, at, live }: { userId: string; at: Date; live: LivePrice | undefined },
): Promise<void> => {
  const { balance, reserved } = await readHolding(tx, userId);
  if (balance === ZERO_GRAMS) return;
  const mayForfeit =
    live !== undefined && reserved === ZERO_GRAMS && isBelowSmallestSale(balance, live, deps);
  if (!mayForfeit) throw new AppError('HOLDING_NOT_EMPTY');
  await forfeitHolding(tx, { movementId: deps.random.uuid(), userId, at });
};

/** Erases all that the modules keep of the person, and returns the ids of the ended sessions. */
const erase = async (
  deps: AccountDeletionDeps,
  tx: Db,
  user: UserToErase,
  at: Date,
): Promise<string[]> => {
  const { userId } = user;
  const coolDownUntil = addMs(at, deps.coolDownDays * dayMs);
  await keepFormerBuyer(deps, tx, { userId, until: coolDownUntil });
  await eraseKyc(deps, tx, { userId, at });
  await eraseAccounts(tx, { userId, at });
  await eraseProductOrders(tx, { userId, at });
  await deleteNotifications(tx, userId);
  await eraseKeys(tx, userId);
  await keepOpenTickets(deps, tx, { userId, at });
  await deps.vault.destroyUser(tx, userId);
  return eraseUser(tx, user, { at, coolDownUntil });
};

/**
 * Deletes the caller's account: checks and erasure in one transaction, under the locks of the
 * holding and then of the user, so that nothing begins or is bought concurrently (contract:
 * identity-and-kyc > Deletion). A code stays valid after a 409.
 * @returns when the account was deleted
 * @throws AppError INVALID_OTP, OTP_LOCKED, ACCOUNT_BUSY, HOLDING_NOT_EMPTY, PRICE_UNAVAILABLE, and
 *   UNAUTHENTICATED where a concurrent request came first
 */
export const deleteAccount = async (
  deps: AccountDeletionDeps,
  { userId, phone, deviceId }: CustomerPrincipal,
  { otp: code, forfeitGold, ip }: DeletionConfirmation,
): Promise<Date> => {
  const { db, inTransaction, clock, blindIndex } = deps;
  const user: UserToErase = { userId, phoneHashes: hashesOfPhone(blindIndex, phone) };
  const isHolding = forfeitGold && (await readHolding(db, userId)).balance > ZERO_GRAMS;
  const live = isHolding ? await deps.price.livePrice() : undefined;
  const client = { ip, deviceId };
  const result = await inTransaction(async (tx) => {
    const verdict = await checkCode(deps, tx, { phone, purpose: 'deletion', code, client });
    // By return: a throw would undo the count of wrong codes.
    if (verdict.kind !== 'right') return verdict;
    await lockCodeGuards(tx, user);
    await lockHolding(tx, userId);
    if (!(await lockUserForDeletion(tx, userId))) throw new AppError('UNAUTHENTICATED');
    const at = clock.now();
    if (await hasWorkInProgress(tx, userId, at)) throw new AppError('ACCOUNT_BUSY');
    await emptyHolding(deps, tx, { userId, at, live });
    return { kind: 'deleted' as const, at, sessionIds: await erase(deps, tx, user, at) };
  });
  if (result.kind !== 'deleted') throw refusalOf(result);
  await announceSessionsEnd(deps, result.sessionIds);
  await deps.portfolios.drop(userId);
  return result.at;
};
