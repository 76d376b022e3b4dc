import type { Sealer } from '../../platform/crypto/index.ts';
import type { PaymentOrder, PaymentsDeps } from './payments.types.ts';

/** The token is the customer's: a plan and its payment orders hold the same sealed value. */
const contextOf = (userId: string) => ({
  purpose: 'mandate',
  column: 'sip_plan.mandate_token',
  row: userId,
});

/** Seals the gateway's token of a customer's mandate, with `sealer` of `vault.forUser`. */
export const sealMandateToken = (sealer: Sealer, userId: string, token: string): string =>
  sealer.seal(token, contextOf(userId));

/**
 * Reads the mandate that a payment order is debited under, for the gateway's adapter and nobody
 * else; undefined where its customer pays by the checkout.
 * @throws DataKeyDestroyedError when the customer is gone
 */
export const readMandateToken = async (
  { db, vault }: Pick<PaymentsDeps, 'db' | 'vault'>,
  { id, userId, debitDueAt }: Pick<PaymentOrder, 'id' | 'userId' | 'debitDueAt'>,
): Promise<string | undefined> => {
  if (debitDueAt === null) return undefined;
  const select = { mandateTokenSealed: true };
  const row = await db.paymentOrder.findUnique({ where: { id }, select });
  if (row === null || row.mandateTokenSealed === null) return undefined;
  return (await vault.forUser(db, userId)).open(row.mandateTokenSealed, contextOf(userId));
};
