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
 * Returns true if anything of the customer is unfinished (contract: identity-and-kyc > Deletion). It
 * reads the tables of other modules in one statement. The caller has locked the user, so nothing
 * new can begin meanwhile.
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
        -- A checkout may be open, or a debit may still be polled for its outcome.
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
        -- After the deletion, an event that waits to be applied could not be opened any more.
        OR EXISTS (SELECT FROM webhook_event e
          WHERE e.sealed_for_user_id = ${userId}::uuid AND e.status = 'PENDING') AS busy`,
  );
  return row?.busy === true;
};

const dayMs = 24 * 60 * 60_000;

interface DeletionConfirmation {
  readonly otp: string;
  /** True if the customer gives up gold that is worth less than the smallest sale. */
  readonly forfeitGold: boolean;
  /** The client's address. */
  readonly ip: string;
}

/** Returns true if gold is worth less than the provider's smallest sale, at its price or at ours. */
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
 * Forfeits a small remaining balance to the house. The caller has locked the holding and the user.
 * `live` is undefined if the customer did not consent to forfeit their gold, or had none.
 * @throws AppError HOLDING_NOT_EMPTY for a larger balance, or without the customer's consent
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

/** Erases the customer's data in all modules, and returns the ids of the ended sessions. */
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
 * Deletes the caller's account, and returns the time of the deletion. Checks and erasure are one
 * transaction under the locks of the holding and then of the user, so that nothing begins
 * concurrently (contract: identity-and-kyc > Deletion). A code stays valid after a 409.
 * @throws AppError INVALID_OTP, OTP_LOCKED, ACCOUNT_BUSY, HOLDING_NOT_EMPTY, PRICE_UNAVAILABLE, and
 *   UNAUTHENTICATED if the account was blocked or deleted meanwhile
 */
export const deleteAccount = async (
  deps: AccountDeletionDeps,
  { userId, phone, deviceId }: CustomerPrincipal,
  { otp: code, forfeitGold, ip }: DeletionConfirmation,
): Promise<Date> => {
  const { db, inTransaction, clock, blindIndex } = deps;
  const user: UserToErase = { userId, phoneHashes: hashesOfPhone(blindIndex, phone) };
  const needsPrice = forfeitGold && (await readHolding(db, userId)).balance > ZERO_GRAMS;
  const live = needsPrice ? await deps.price.livePrice() : undefined;
  const client = { ip, deviceId };
  const result = await inTransaction(async (tx) => {
    const verdict = await checkCode(deps, tx, { phone, purpose: 'deletion', code, client });
    // This refusal leaves the transaction by return, since a throw would undo the count of wrong
    // codes.
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
