import { describe, expect, it } from 'vitest';
import { decideFailure, type FailureFacts } from './decide-payment.ts';
import { paymentOrderTransitions } from './payments.states.ts';
import { buyStatuses } from '../orders/index.ts';
import { allowsTransition } from '../../platform/transitions/transitions.ts';
import { paymentOrderStatuses } from './payments.types.ts';

const holdsMoney = ['PAID', 'RETRY_PENDING', 'ALLOCATED'] as const;
const reported = { id: 'p1', failedAfterCaptureAt: null } as const;
const captured = { ...reported, status: 'CAPTURED', disposition: 'APPLIED' } as const;
const failed = { ...reported, status: 'FAILED', disposition: 'NONE' } as const;

const plain: FailureFacts = {
  known: undefined,
  hasOtherCapture: false,
  order: { status: 'PENDING' },
  paymentOrder: { status: 'GATEWAY_ORDER_CREATED', capturedPaymentId: null },
};
const paid: FailureFacts = {
  known: captured,
  hasOtherCapture: false,
  order: { status: 'PAID' },
  paymentOrder: { status: 'PAID', capturedPaymentId: 'p1' },
};

/** Returns every combination of the facts of a decision. */
const allFacts = (): FailureFacts[] =>
  buyStatuses.flatMap((orderStatus) =>
    paymentOrderStatuses.flatMap((status) =>
      [undefined, failed, captured, { ...captured, disposition: 'SECOND' } as const].flatMap(
        (known) =>
          [false, true].map((hasOtherCapture) => ({
            known,
            hasOtherCapture,
            order: { status: orderStatus },
            paymentOrder: { status, capturedPaymentId: status === 'PAID' ? 'p1' : null },
          })),
      ),
    ),
  );

describe('a failed payment', () => {
  it('fails a pending order and its open payment order', () => {
    expect(decideFailure(plain)).toEqual({ kind: 'FAIL', failOrder: true });
  });

  it('fails only the open payment order if its order does not wait for it', () => {
    const facts = { ...plain, order: { status: 'FAILED' } } as const;
    expect(decideFailure(facts)).toEqual({ kind: 'FAIL', failOrder: false });
  });

  it('changes nothing if another payment was captured', () => {
    for (const status of holdsMoney) {
      const facts = { ...paid, known: undefined, hasOtherCapture: true, order: { status } };
      expect(decideFailure(facts)).toEqual({ kind: 'RECORD' });
    }
  });

  it('sends an order to review if its captured payment failed', () => {
    for (const status of holdsMoney) {
      const decision = decideFailure({ ...paid, order: { status } });
      expect(decision).toMatchObject({ kind: 'REVIEW', code: 'FAILED_AFTER_PAID' });
    }
  });

  it('is added to the reason of an order that is already under review', () => {
    const underReview = { ...paid, order: { status: 'MANUAL_REVIEW' } } as const;
    for (const disposition of ['APPLIED', 'LATE', 'MISMATCH'] as const) {
      const known = { ...captured, disposition };
      const reason = 'The gateway reported that the captured payment later failed.';
      expect(decideFailure({ ...underReview, known })).toEqual({ kind: 'NOTE', reason });
    }
    const decision = decideFailure({
      ...underReview,
      known: { ...captured, disposition: 'SECOND' },
    });
    expect(decision).toMatchObject({
      kind: 'NOTE',
      reason: expect.stringContaining('a further captured payment'),
    });
  });

  it('has an effect only once for each payment, in every state of the order', () => {
    const known = { ...captured, failedAfterCaptureAt: new Date() };
    for (const status of buyStatuses) {
      const decision = decideFailure({ ...paid, known, order: { status } });
      expect(decision).toEqual({ kind: 'ALREADY_KNOWN' });
    }
  });

  it('does not change an order that has failed or holds no money yet', () => {
    for (const status of ['FAILED', 'PENDING'] as const) {
      const decision = decideFailure({ ...paid, order: { status } });
      expect(decision).toEqual({ kind: 'ALREADY_KNOWN' });
    }
  });

  it('does not affect the first payment if the second captured payment failed', () => {
    const known = { ...captured, id: 'p2', disposition: 'SECOND' } as const;
    const facts = {
      ...paid,
      known,
      hasOtherCapture: true,
      order: { status: 'ALLOCATED' },
    } as const;
    expect(decideFailure(facts)).toEqual({ kind: 'ALREADY_KNOWN' });
  });

  it('has no effect if the payment was refunded', () => {
    const known = { ...captured, status: 'REFUNDED', disposition: 'REFUNDED' } as const;
    for (const status of ['PAID', 'MANUAL_REVIEW'] as const) {
      const decision = decideFailure({ ...paid, known, order: { status } });
      expect(decision).toEqual({ kind: 'ALREADY_KNOWN' });
    }
  });

  it('does not fail the open checkout if the attempt was at a closed checkout', () => {
    for (const status of ['EXPIRED', 'FAILED', 'MANUAL_REVIEW', 'REFUNDED'] as const) {
      const facts = { ...plain, paymentOrder: { status, capturedPaymentId: null } };
      expect(decideFailure(facts)).toEqual({ kind: 'RECORD' });
    }
  });

  it('is recorded once', () => {
    const paymentOrder = { status: 'FAILED', capturedPaymentId: null } as const;
    const facts = { ...plain, known: failed, order: { status: 'FAILED' }, paymentOrder } as const;
    expect(decideFailure(facts)).toEqual({ kind: 'ALREADY_KNOWN' });
  });

  it('never fails an order that holds money and never leaves the table, in every combination', () => {
    for (const facts of allFacts()) {
      const decision = decideFailure(facts);
      if (decision.kind !== 'FAIL') continue;
      expect(facts.hasOtherCapture).toBe(false);
      expect(facts.known?.status).not.toBe('CAPTURED');
      const step = { from: facts.paymentOrder.status, to: 'FAILED', actor: 'gateway:x' } as const;
      expect(allowsTransition(paymentOrderTransitions, step)).toBe(true);
      expect(decision.failOrder).toBe(facts.order.status === 'PENDING');
    }
  });
});
