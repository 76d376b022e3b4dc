import type { GatewayPayment, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { CallResult } from '../../platform/collaborator-call/index.ts';
import { explainOutcome, refused } from '../../platform/outcome/outcome.ts';
import { lockPayableOrder, markOrderFailed } from '../orders/index.ts';
import { applyPayment } from './apply-payment.ts';
import { recordDebit, type DebitRecord } from './debits.store.ts';
import { lockPaymentOrder } from './payment-orders.store.ts';
import { transitionPaymentOrder } from './payments.states.ts';
import {
  gatewayCause,
  type DebitStatus,
  type PaymentOrder,
  type PaymentsDeps,
} from './payments.types.ts';

/** A debit whose lease this worker holds, at a gateway that can debit mandates. */
export interface ActiveDebit {
  readonly order: PaymentOrder;
  readonly status: DebitStatus;
  readonly gatewayOrderId: string;
  readonly gateway: PaymentGateway & Required<Pick<PaymentGateway, 'debitMandate'>>;
  readonly holderId: string;
  /** The time of an earlier request that may still reach the gateway, or null if there is none. */
  readonly sentAt: Date | null;
  /** True if the caller allows requests, the gateway is usable and today is the announced day. */
  readonly maySend: boolean;
  /** True if today is the announced day. */
  readonly isItsDay: boolean;
}

/** A debit that the gateway accepted, with the payments that the gateway lists for it. */
export interface AcceptedDebit {
  readonly gatewayDebitId: string;
  readonly payments?: readonly GatewayPayment[];
}

/** Applies the payments that the gateway lists for the order, as a webhook would. */
const applyPayments = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
  listed: readonly GatewayPayment[],
): Promise<void> => {
  const { gateway } = order;
  const cause = gatewayCause('asked_by_janitor', gateway);
  const capturesFirst = [
    ...listed.filter(({ status }) => status === 'CAPTURED'),
    ...listed.filter(({ status }) => status === 'FAILED'),
  ];
  for (const { status, createdAt: occurredAt, ...payment } of capturesFirst) {
    const kind = status === 'CAPTURED' ? 'captured' : 'failed';
    const learnedAt = deps.clock.now();
    const report = { ...payment, kind, gateway, occurredAt, learnedAt } as const;
    const applied = await deps.inTransaction((tx) =>
      applyPayment(deps, tx, order, { report, cause }),
    );
    if (!applied.changed) continue;
    if (kind === 'captured') deps.metrics.countFoundCapture(gateway, 'janitor');
    deps.logger.warn({ paymentOrderId: order.id, gateway, kind }, 'the end of a debit was found');
  }
};

/**
 * Fails a debit that certainly will not happen, and the installment that waits for it. The
 * installment's history gets the reason.
 */
const failDebit = (
  deps: PaymentsDeps,
  { order, holderId }: ActiveDebit,
  reason: string,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const cause = gatewayCause('debit_refused', order.gateway);
    const goldOrder = await lockPayableOrder(tx, order.orderId);
    const current = await lockPaymentOrder(tx, order.id);
    const at = deps.clock.now();
    const isHeld = await recordDebit(tx, order.id, holderId, { status: 'REFUSED', at });
    if (!isHeld || current?.status !== 'GATEWAY_ORDER_CREATED') return;
    await transitionPaymentOrder(deps, tx, current, { ...cause, to: 'FAILED' });
    if (goldOrder.status === 'PENDING')
      await markOrderFailed(deps, tx, goldOrder, { ...cause, reason });
  });

/** Records the result of one turn at a debit. UNKNOWN changes nothing if no request was sent. */
export const recordDebitResult = async (
  deps: PaymentsDeps,
  debit: ActiveDebit,
  result: CallResult<AcceptedDebit>,
): Promise<void> => {
  const { order, holderId, sentAt } = debit;
  const record = (change: Omit<DebitRecord, 'at'>) =>
    recordDebit(deps.db, order.id, holderId, { ...change, at: deps.clock.now() });
  switch (result.kind) {
    case 'DONE': {
      const { gatewayDebitId, payments = [] } = result.value;
      await record({ status: 'ACCEPTED', gatewayDebitId });
      await applyPayments(deps, order, payments);
      return;
    }
    case 'REFUSED':
      return failDebit(deps, debit, explainOutcome(refused(result.code, result.reason)));
    case 'INTENDED':
      // The debit was certainly not made, so it is SCHEDULED again, as if no request had been sent.
      await record({ status: 'SCHEDULED', sentAt: null });
      return;
    case 'UNKNOWN':
      if (result.answer?.kind === 'unknown') await record({ status: 'UNKNOWN' });
      // This request was refused, but an earlier request may still arrive at the gateway.
      if (result.answer?.kind === 'refused') await record({ status: 'UNKNOWN', sentAt });
      return;
    default:
      result satisfies never;
  }
};
