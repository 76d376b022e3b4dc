import { describe, expect, it } from 'vitest';
import { paise } from '../../money/index.ts';
import { decideCapture, type CaptureDecision, type CaptureFacts } from './decide-payment.ts';
import { paymentOrderTransitions } from './payments.states.ts';
import { buyStatuses, type BuyStatus } from '../orders/index.ts';
import { allowsTransition } from '../../platform/transitions/transitions.ts';
import { paymentOrderStatuses, type PaymentOrderStatus } from './payments.types.ts';

const lockEndsAt = new Date('2026-01-05T04:08:00.000Z');
const moments = {
  inTime: new Date('2026-01-05T04:07:59.999Z'),
  atTheEnd: lockEndsAt,
  late: new Date('2026-01-05T05:00:00.000Z'),
};
const knowledge = {
  nothing: undefined,
  failed: { status: 'FAILED', disposition: 'NONE' },
  unmatched: { status: 'CAPTURED', disposition: 'UNMATCHED' },
  applied: { status: 'CAPTURED', disposition: 'APPLIED' },
  second: { status: 'CAPTURED', disposition: 'SECOND' },
  mismatch: { status: 'CAPTURED', disposition: 'MISMATCH' },
  late: { status: 'CAPTURED', disposition: 'LATE' },
  refunded: { status: 'REFUNDED', disposition: 'REFUNDED' },
} as const;

interface Case {
  readonly orderStatus: BuyStatus;
  readonly paymentOrderStatus: PaymentOrderStatus;
  readonly known: keyof typeof knowledge;
  readonly hasOtherCapture: boolean;
  readonly amount: 'right' | 'less' | 'more';
  readonly currency: 'INR' | 'USD';
  readonly moment: keyof typeof moments;
  readonly hasLock: boolean;
}

const amounts = { right: paise(100_000n), less: paise(99_999n), more: paise(100_001n) };

const factsOf = (given: Case): CaptureFacts => ({
  payment: {
    amountPaise: amounts[given.amount],
    currency: given.currency,
    learnedAt: moments[given.moment],
  },
  known: knowledge[given.known],
  hasOtherCapture: given.hasOtherCapture,
  isCustomerDeleted: false,
  order: {
    status: given.orderStatus,
    lockEndsAt: given.hasLock ? lockEndsAt : null,
    wasAllocated: false,
  },
  paymentOrder: {
    status: given.paymentOrderStatus,
    amountPaise: amounts.right,
    currency: 'INR',
  },
});

const plain: Case = {
  orderStatus: 'PENDING',
  paymentOrderStatus: 'GATEWAY_ORDER_CREATED',
  known: 'nothing',
  hasOtherCapture: false,
  amount: 'right',
  currency: 'INR',
  moment: 'inTime',
  hasLock: true,
};
const decide = (changes: Partial<Case>) => decideCapture(factsOf({ ...plain, ...changes }));
const review = (code: string, disposition: string, paymentOrderTo: string | undefined) =>
  expect.objectContaining({ kind: 'REVIEW', code, disposition, paymentOrderTo });
const paid = { kind: 'PAY', disposition: 'APPLIED', paymentOrderTo: 'PAID' };

const cross = (cases: readonly object[], key: string, values: readonly unknown[]): object[] =>
  values.flatMap((value) => cases.map((given) => ({ ...given, [key]: value })));

/** Returns every combination of the facts of a decision. */
const allCases = (): Case[] => {
  let cases: object[] = [{}];
  const add = (key: keyof Case, values: readonly unknown[]): void => {
    cases = cross(cases, key, values);
  };
  add('orderStatus', buyStatuses);
  add('paymentOrderStatus', paymentOrderStatuses);
  add('known', Object.keys(knowledge));
  add('hasOtherCapture', [false, true]);
  add('amount', ['right', 'less', 'more']);
  add('currency', ['INR', 'USD']);
  add('moment', Object.keys(moments));
  add('hasLock', [true, false]);
  return cases as Case[]; // every key of Case was added above
};

/**
 * The rules, of which the first match applies (contract: payments-and-webhooks > Captures). An
 * omitted column matches everything.
 */
const rules: readonly {
  readonly rule: string;
  readonly when: { readonly [K in keyof Case]?: readonly Case[K][] };
  readonly outcome: Partial<Record<string, unknown>>;
}[] = [
  {
    rule: 'a payment has its effect once',
    when: { known: ['applied', 'second', 'mismatch', 'late', 'refunded'] },
    outcome: { kind: 'ALREADY_KNOWN' },
  },
  {
    rule: 'a second capture of any amount at any time',
    when: { hasOtherCapture: [true] },
    outcome: { kind: 'REVIEW', code: 'SECOND_CAPTURE', disposition: 'SECOND' },
  },
  {
    rule: 'a capture for an order that is already paid',
    when: { orderStatus: ['PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW'] },
    outcome: { kind: 'REVIEW', code: 'SECOND_CAPTURE', disposition: 'SECOND' },
  },
  {
    rule: 'a capture for a payment order that can no longer be paid',
    when: { paymentOrderStatus: ['PAID', 'MANUAL_REVIEW', 'REFUNDED'] },
    outcome: {
      kind: 'REVIEW',
      code: 'SECOND_CAPTURE',
      disposition: 'SECOND',
      paymentOrderTo: undefined,
    },
  },
  {
    rule: 'another currency, before the amount and the time',
    when: { currency: ['USD'] },
    outcome: {
      kind: 'REVIEW',
      code: 'CURRENCY_MISMATCH',
      disposition: 'MISMATCH',
      paymentOrderTo: 'MANUAL_REVIEW',
    },
  },
  {
    rule: 'another amount, before the time',
    when: { amount: ['less', 'more'] },
    outcome: {
      kind: 'REVIEW',
      code: 'AMOUNT_MISMATCH',
      disposition: 'MISMATCH',
      paymentOrderTo: 'MANUAL_REVIEW',
    },
  },
  {
    rule: 'a capture that is reported after the end of the lock, in every state of the order',
    when: { hasLock: [true], moment: ['atTheEnd', 'late'] },
    outcome: { kind: 'REVIEW', code: 'LATE_CAPTURE', disposition: 'LATE', paymentOrderTo: 'PAID' },
  },
  {
    rule: 'the right amount in time pays, also after a failure',
    when: { orderStatus: ['PENDING', 'FAILED'] },
    outcome: paid,
  },
];

const matches = (given: Case, when: (typeof rules)[number]['when']): boolean =>
  Object.entries(when).every(([key, values]) =>
    // The type of each list is checked above. Here the lists are only searched.
    (values as readonly unknown[]).includes(given[key as keyof Case]),
  );

describe('a captured payment', () => {
  it('follows the rules in every combination', () => {
    const cases = allCases();
    expect(cases).toHaveLength(6 * 7 * 8 * 2 * 3 * 2 * 3 * 2);
    const used = new Set<string>();
    const wrong = cases.flatMap((given) => {
      const rule = rules.find(({ when }) => matches(given, when));
      used.add(rule?.rule ?? 'none');
      const decision = decideCapture(factsOf(given));
      const isRight = Object.entries(rule?.outcome ?? { kind: 'no rule' }).every(
        ([key, value]) => (decision as unknown as Record<string, unknown>)[key] === value,
      );
      return isRight ? [] : [{ given, decision, rule: rule?.rule }];
    });
    expect(wrong).toEqual([]);
    expect([...used].toSorted()).toEqual(rules.map(({ rule }) => rule).toSorted());
  });

  it('never decides on a transition that the table lacks', () => {
    const illegal = allCases().filter((given) => {
      // A payment order without a gateway order has no payments.
      if (given.paymentOrderStatus === 'CREATED') return false;
      const decision: CaptureDecision = decideCapture(factsOf(given));
      if (decision.kind === 'ALREADY_KNOWN' || decision.paymentOrderTo === undefined) return false;
      const [from, to] = [given.paymentOrderStatus, decision.paymentOrderTo];
      const step = { from, to, actor: 'gateway:sandbox' };
      return !allowsTransition(paymentOrderTransitions, step);
    });
    expect(illegal).toEqual([]);
  });

  it('pays a pending order in time', () => {
    expect(decide({})).toEqual(paid);
  });

  it('pays a failed order while the price lock is valid', () => {
    expect(decide({ orderStatus: 'FAILED', paymentOrderStatus: 'FAILED' })).toEqual(paid);
  });

  it('pays with a payment that was reported as failed before', () => {
    const facts = { orderStatus: 'FAILED', paymentOrderStatus: 'FAILED', known: 'failed' } as const;
    expect(decide(facts)).toEqual(paid);
  });

  it('pays an installment at any time, because it has no price lock', () => {
    expect(decide({ hasLock: false, moment: 'late' })).toEqual(paid);
  });

  it('changes the payment order to PAID if it is late, also from EXPIRED and FAILED', () => {
    for (const paymentOrderStatus of ['GATEWAY_ORDER_CREATED', 'EXPIRED', 'FAILED'] as const) {
      for (const orderStatus of ['PENDING', 'FAILED'] as const) {
        const decision = decide({ orderStatus, paymentOrderStatus, moment: 'late' });
        expect(decision).toEqual(review('LATE_CAPTURE', 'LATE', 'PAID'));
      }
    }
  });

  it('has the code of a wrong amount, also if it is late', () => {
    const decision = decide({ amount: 'less', moment: 'late' });
    expect(decision).toEqual(review('AMOUNT_MISMATCH', 'MISMATCH', 'MANUAL_REVIEW'));
  });

  it('has the code of a second capture, also from ALLOCATED, late and of a wrong amount', () => {
    const decision = decide({
      orderStatus: 'ALLOCATED',
      paymentOrderStatus: 'PAID',
      hasOtherCapture: true,
      amount: 'more',
      moment: 'late',
    });
    expect(decision).toEqual(review('SECOND_CAPTURE', 'SECOND', undefined));
  });

  it('changes an expired payment order to PAID if it is a second capture', () => {
    const decision = decide({ paymentOrderStatus: 'EXPIRED', hasOtherCapture: true });
    expect(decision).toEqual(review('SECOND_CAPTURE', 'SECOND', 'PAID'));
  });

  it('states both amounts in the reason', () => {
    expect(decide({ amount: 'less' })).toMatchObject({
      reason: 'INR 999.99 was captured where INR 1000.00 was asked for.',
    });
  });
});

it('a capture buys nothing for a deleted customer, also without a price lock', () => {
  for (const hasLock of [true, false]) {
    const facts = {
      ...factsOf({ ...plain, orderStatus: 'FAILED', hasLock }),
      isCustomerDeleted: true,
    };
    expect(decideCapture(facts)).toMatchObject({
      kind: 'REVIEW',
      code: 'LATE_CAPTURE',
      disposition: 'LATE',
      reason: expect.stringContaining('deleted their account'),
    });
  }
});

it('a capture of an order whose gold was recovered goes to review, and allocates nothing', () => {
  const facts = factsOf({ ...plain, orderStatus: 'FAILED', hasLock: false });
  expect(decideCapture({ ...facts, order: { ...facts.order, wasAllocated: true } })).toEqual(
    review('LATE_CAPTURE', 'LATE', 'PAID'),
  );
  expect(decideCapture(facts)).toEqual(paid);
});
