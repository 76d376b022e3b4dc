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

/** Every combination of order, payment order, what is known and whether another one paid. */
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

  it('fails an open payment order alone when its order waits for nothing', () => {
    const facts = { ...plain, order: { status: 'FAILED' } } as const;
    expect(decideFailure(facts)).toEqual({ kind: 'FAIL', failOrder: false });
  });

  it('changes nothing beside a captured payment: it says nothing of that money', () => {
    for (const status of holdsMoney) {
      const facts = { ...paid, known: undefined, hasOtherCapture: true, order: { status } };
      expect(decideFailure(facts)).toEqual({ kind: 'RECORD' });
    }
  });

  it('sends an order to review when its captured payment itself failed', () => {
    for (const status of holdsMoney) {
      const decision = decideFailure({ ...paid, order: { status } });
      expect(decision).toMatchObject({ kind: 'REVIEW', code: 'FAILED_AFTER_PAID' });
    }
  });

  it('tells an order that is under review already, whose end must not forget it', () => {
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

  it('counts once of one payment, whatever became of its order', () => {
    const known = { ...captured, failedAfterCaptureAt: new Date() };
    for (const status of buyStatuses) {
      const decision = decideFailure({ ...paid, known, order: { status } });
      expect(decision).toEqual({ kind: 'ALREADY_KNOWN' });
    }
  });

  it('leaves an order that has failed, or that has no money yet', () => {
    for (const status of ['FAILED', 'PENDING'] as const) {
      const decision = decideFailure({ ...paid, order: { status } });
      expect(decision).toEqual({ kind: 'ALREADY_KNOWN' });
    }
  });

  it('says nothing of the captured money when the second captured payment failed', () => {
    const known = { ...captured, id: 'p2', disposition: 'SECOND' } as const;
    const facts = {
      ...paid,
      known,
      hasOtherCapture: true,
      order: { status: 'ALLOCATED' },
    } as const;
    expect(decideFailure(facts)).toEqual({ kind: 'ALREADY_KNOWN' });
  });

  it('says nothing of money that was paid back', () => {
    const known = { ...captured, status: 'REFUNDED', disposition: 'REFUNDED' } as const;
    for (const status of ['PAID', 'MANUAL_REVIEW'] as const) {
      const decision = decideFailure({ ...paid, known, order: { status } });
      expect(decision).toEqual({ kind: 'ALREADY_KNOWN' });
    }
  });

  it('does not fail what is open for an attempt at a checkout that is closed', () => {
    for (const status of ['EXPIRED', 'FAILED', 'MANUAL_REVIEW', 'REFUNDED'] as const) {
      const facts = { ...plain, paymentOrder: { status, capturedPaymentId: null } };
      expect(decideFailure(facts)).toEqual({ kind: 'RECORD' });
    }
  });

  it('tells of itself once', () => {
    const paymentOrder = { status: 'FAILED', capturedPaymentId: null } as const;
    const facts = { ...plain, known: failed, order: { status: 'FAILED' }, paymentOrder } as const;
    expect(decideFailure(facts)).toEqual({ kind: 'ALREADY_KNOWN' });
  });

  it('in every combination: never FAILED over money, never outside the table', () => {
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
