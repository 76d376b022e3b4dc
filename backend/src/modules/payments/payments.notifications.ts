import { formatRupees } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { readMerchantName } from '../legal/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { PayableOrder } from '../orders/index.ts';
import type { PaymentReport } from './payments.types.ts';

/** Notifies the customer of a debit under a mandate, once for each payment. */
export const notifyDebited = async (
  db: Db,
  notify: Notify,
  { id: orderId, userId, sipPlanId: planId, installmentNo }: PayableOrder,
  { amountPaise, gateway, gatewayPaymentId }: PaymentReport,
): Promise<void> => {
  const rupees = formatRupees(amountPaise);
  const merchant = await readMerchantName(db);
  await notify(db, {
    userId,
    type: 'sip_debited',
    title: 'Payment for your gold plan taken',
    body:
      `${merchant} has debited INR ${rupees} for installment ${installmentNo ?? ''} of your gold ` +
      'plan under your mandate. The gold will be added to your account shortly.',
    data: { planId, orderId, installmentNo, amountInr: rupees, merchant },
    dedupeKey: `sip_debited:${gateway}:${gatewayPaymentId}`,
  });
};
