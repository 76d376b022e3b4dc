import { mayTrade } from '../kyc/index.ts';
import { debitMandate, findPaymentOrder, type PaymentsDeps } from '../payments/index.ts';
import type { GoldBase } from '../quotes/index.ts';
import type { Gates } from '../readiness/index.ts';
import { extendPaymentWindow } from './extend-payment-window.ts';

export interface DebitDeps extends Pick<GoldBase, 'db' | 'inTransaction' | 'clock' | 'logger'> {
  readonly gates: Pick<Gates, 'isBuyOpen'>;
  readonly payments: PaymentsDeps;
}

/** Returns true if the release gate is open and the customer of the debit may buy gold. */
const mayRequestDebit = async (
  { db, gates }: DebitDeps,
  paymentOrderId: string,
): Promise<boolean> => {
  if (!(await gates.isBuyOpen())) return false;
  const paymentOrder = await findPaymentOrder(db, paymentOrderId);
  return paymentOrder !== undefined && mayTrade(db, paymentOrder.userId);
};

/**
 * Debits the mandate of an installment that is due (contract: plans > Mandates). No debit is
 * requested while the gate is closed or the customer may not buy gold. A debit that was requested
 * before is still queried.
 */
export const debitInstallment = async (deps: DebitDeps, paymentOrderId: string): Promise<void> => {
  const mayRequest = await mayRequestDebit(deps, paymentOrderId);
  if (mayRequest) await extendPaymentWindow(deps, paymentOrderId);
  await debitMandate(deps.payments, { paymentOrderId, mayRequest });
};
