import { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import { pageOf, pageQuery, plainLine, plainText } from '../../platform/http/index.ts';
import { openPaymentStates, type OpenPayment } from './open-payments.read-model.ts';

export const openPaymentsQuery = pageQuery.extend({
  state: z.enum(openPaymentStates).optional(),
  gateway: z.string().min(1).max(50).optional(),
});

const actionNames = [
  'ALLOCATE',
  'REFUNDED',
  'KEEP',
  'RECOVER',
  'REPLAY_EVENT',
  'RECORD_REFUND',
] as const;

const actionView = z.object({
  action: z.enum(actionNames),
  method: z.literal('POST'),
  path: z.string(),
  does: z.string(),
});
type ActionView = z.output<typeof actionView>;

export const openPaymentView = z.object({
  id: z.uuid(),
  state: z.enum(openPaymentStates),
  gateway: z.string(),
  gatewayPaymentId: z.string(),
  gatewayOrderId: z.string().nullable(),
  paymentOrderId: z.uuid().nullable(),
  orderId: z.uuid().nullable(),
  userId: z.uuid().nullable(),
  standing: z.enum(['APPLIED', 'SECOND', 'MISMATCH', 'LATE', 'UNMATCHED']),
  amountPaise: z.int().min(0),
  reversedPaise: z
    .int()
    .min(0)
    .describe(
      'The part of the amount, in paise, that is known to have been refunded or lost in a dispute.',
    ),
  currency: z.string(),
  method: z.string().nullable(),
  orderStatus: z.string().nullable(),
  reviewCode: z.string().nullable(),
  reviewReason: z.string().nullable(),
  hasFailed: z
    .boolean()
    .describe('True if the gateway reports that the payment failed after its capture.'),
  learnedAt: z.iso.datetime(),
  actions: z
    .array(actionView)
    .describe('The actions that an operator can take. The route of an action may still refuse it.'),
});
openPaymentView.register(z.globalRegistry, {
  id: 'OpenPayment',
  description: 'A captured payment that needs a decision by an operator.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      state: 'UNMATCHED',
      gateway: 'sandbox',
      gatewayPaymentId: 'sbx_pay_1001',
      gatewayOrderId: 'sbx_order_1001',
      paymentOrderId: null,
      orderId: null,
      userId: null,
      standing: 'UNMATCHED',
      amountPaise: 100_050,
      reversedPaise: 0,
      currency: 'INR',
      method: 'upi',
      orderStatus: null,
      reviewCode: null,
      reviewReason: null,
      hasFailed: false,
      learnedAt: '2026-01-15T09:30:00.000Z',
      actions: [
        {
          action: 'RECORD_REFUND',
          method: 'POST',
          path: '/payments/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10/refunded',
          does: 'Records that the payment was refunded at its gateway.',
        },
      ],
    },
  ],
});

export const openPaymentPage = pageOf(openPaymentView);

export const recordRefundBody = z.object({
  reference: plainLine(128).describe("The gateway's reference of the refund."),
  note: plainText(2000).optional(),
});
recordRefundBody.register(z.globalRegistry, {
  id: 'RecordRefundRequest',
  examples: [{ reference: 'rfnd_1001', note: 'Paid twice by mistake, refunded at the gateway.' }],
});

const actionTexts: Readonly<Record<ActionView['action'], string>> = {
  ALLOCATE: 'Buys the ordered gold with this payment.',
  REFUNDED:
    'Records that the payment was refunded at its gateway, with the reference of the refund.',
  KEEP: 'Leaves the gold with the customer. The house bears the missing amount.',
  RECOVER: 'Takes the reserved gold back for the house.',
  REPLAY_EVENT: 'Applies the webhook event again, in case its order is known by now.',
  RECORD_REFUND: 'Records that the payment was refunded at its gateway.',
};

const postAction = (action: ActionView['action'], path: string): ActionView => ({
  action,
  method: 'POST',
  path,
  does: actionTexts[action],
});

/** Returns the possible resolutions of the payment's order, which is under review. */
const resolutionsOf = (payment: OpenPayment): readonly ActionView['action'][] => {
  const { hasGold, canHoldGold, standing, reviewCode, reversedPaise } = payment;
  if (hasGold && standing !== 'APPLIED') return ['REFUNDED', 'KEEP'];
  if (hasGold) return reviewCode === 'PAYMENT_REVERSED' ? ['KEEP', 'RECOVER'] : ['KEEP'];
  const paysTheOrder = standing === 'APPLIED' || standing === 'LATE';
  return paysTheOrder && canHoldGold && reversedPaise === 0n
    ? ['ALLOCATE', 'REFUNDED']
    : ['REFUNDED'];
};

/** Returns the actions that an operator can take on an open payment. */
const actionsOf = (payment: OpenPayment): ActionView[] => {
  const { id, standing, orderId, orderStatus, waitingEventId } = payment;
  if (standing === 'UNMATCHED') {
    const event = waitingEventId ?? undefined;
    return [
      ...(event === undefined
        ? []
        : [postAction('REPLAY_EVENT', `/webhook-events/${event}/replay`)]),
      postAction('RECORD_REFUND', `/payments/${id}/refunded`),
    ];
  }
  if (orderId === null || orderStatus !== 'MANUAL_REVIEW') return [];
  return resolutionsOf(payment).map((action) => postAction(action, `/orders/${orderId}/resolve`));
};

export const presentOpenPayment = (payment: OpenPayment) => {
  const { hasGold: _gold, canHoldGold: _can, waitingEventId: _event, ...view } = payment;
  return {
    ...view,
    state: payment.standing === 'UNMATCHED' ? 'UNMATCHED' : 'REVIEW',
    amountPaise: toSafePaise(payment.amountPaise),
    reversedPaise: toSafePaise(payment.reversedPaise),
    learnedAt: payment.learnedAt.toISOString(),
    actions: actionsOf(payment),
  };
};
