import { mayTrade } from '../kyc/index.ts';
import { debitMandate, findPaymentOrder, type PaymentsDeps } from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';
import type { Gates } from '../readiness/index.ts';
import { extendPaymentWindow } from './extend-payment-window.ts';

export interface DebitDeps extends Pick<GoldBase, 'db' | 'inTransaction' | 'clock' | 'logger'> {
  readonly gates: Pick<Gates, 'isBuyOpen'>;
  readonly payments: PaymentsDeps;
}

/** Returns true if the release gate is open and the customer of the debit may begin to buy gold. */
const mayRequestDebit = async (
  { db, gates }: DebitDeps,
  paymentOrderId: string,
): Promise<boolean> => {
  if (!(await gates.isBuyOpen())) return false;
  const found = await findPaymentOrder(db, paymentOrderId);
  return found !== undefined && mayTrade(db, found.userId);
};

/**
 * Debits the mandate of an installment that is due. While the gate is closed, or the customer is
 * blocked or has no approved KYC any more, nothing is requested, but debits requested earlier are
 * still polled (contract: plans > Mandates).
 */
export const debitInstallment = async (deps: DebitDeps, paymentOrderId: string): Promise<void> => {
  const mayRequest = await mayRequestDebit(deps, paymentOrderId);
  if (mayRequest) await extendPaymentWindow(deps, paymentOrderId);
  await debitMandate(deps.payments, { paymentOrderId, mayRequest });
};
