const id = (end: number): string => `019a8c7e-0000-7000-8000-${String(end).padStart(12, '0')}`;
const at = (second: number): string => `2026-11-21T10:00:${String(second).padStart(2, '0')}.000Z`;

/** An allocated buy order as the admin API returns it, with a field that goldctl does not know. */
export const allocatedBuy = {
  id: id(1),
  user_id: id(2),
  type: 'BUY',
  status: 'ALLOCATED',
  amount_inr: '125000.50',
  grams: '9.8371',
  price_per_gram_paise: 1_233_672,
  gold_value_paise: 12_135_971,
  gst_paise: 364_079,
  cgst_paise: 182_039,
  sgst_paise: 182_040,
  rounding_paise: 12,
  proceeds_paise: null,
  provider_amount_paise: 12_499_991,
  price_difference_paise: null,
  quote_id: id(3),
  sg_tx_id: '1795298628293',
  expires_at: at(59),
  manual_review_code: null,
  manual_review_reason: null,
  refund_reference: null,
  created_at: at(1),
  updated_at: at(9),
  invented_later: true,
  payments: [
    {
      id: id(4),
      order_id: id(1),
      gateway: 'razorpay',
      gateway_order_id: 'order_1',
      amount_paise: 12_500_050,
      currency: 'INR',
      status: 'PAID',
      method: 'upi',
      created_at: at(2),
      paid_at: at(5),
      attempts: [
        {
          gateway: 'razorpay',
          status: 'CREATED',
          gateway_order_id: 'order_1',
          detail: null,
          started_at: at(2),
          ended_at: at(3),
        },
      ],
    },
  ],
  payout: null,
  events: [
    {
      from: null,
      to: 'PENDING',
      cause: 'order.placed',
      actor: `customer:${id(2)}`,
      requestId: 'r1',
      at: at(1),
    },
    {
      from: 'PENDING',
      to: 'PAID',
      cause: 'payment.captured',
      actor: 'gateway:razorpay',
      requestId: 'r2',
      at: at(5),
    },
    {
      from: 'PAID',
      to: 'ALLOCATED',
      cause: 'allocation.done',
      actor: 'worker',
      requestId: null,
      at: at(9),
    },
  ],
};

/** A sale under review, with a payout that is held. */
export const reviewedSale = {
  ...allocatedBuy,
  type: 'SELL',
  status: 'MANUAL_REVIEW',
  amount_inr: '99.9',
  gst_paise: null,
  cgst_paise: null,
  sgst_paise: null,
  rounding_paise: null,
  gold_value_paise: null,
  proceeds_paise: 9990,
  expires_at: null,
  price_difference_paise: -150,
  manual_review_code: 'SELL_UNKNOWN_OUTCOME',
  manual_review_reason: 'The provider did not answer.\u001b[31m',
  refund_reference: 'rfnd_1',
  payments: [],
  payout: {
    id: id(5),
    orderId: id(1),
    bankAccountId: id(6),
    accountLast4: '4321',
    amountPaise: 9990,
    status: 'PENDING',
    mode: 'IMPS',
    utr: null,
    attempt: 0,
    failureReason: null,
    createdAt: at(7),
    paidAt: null,
    userId: id(2),
    approvedBy: null,
    providerPayoutId: null,
    hold: 'NAME_MATCH',
  },
};

const check = (name: string, status: string, more: object = {}) => ({
  id: name,
  title: `About ${name}`,
  severity: 'critical',
  status,
  count: 0,
  samples: [],
  ...more,
});

/** Books of which one check found something and one could not be done. */
export const unevenBooks = {
  generatedAt: at(30),
  windowHours: 24,
  summary: { ok: 1, findings: 1, errors: 1 },
  checks: [
    check('captured_not_allocated', 'OK'),
    check('payout_stuck', 'FINDINGS', {
      severity: 'high',
      count: 3,
      samples: [
        { payoutId: id(5), amountPaise: 10_000_000, utr: null },
        { payoutId: id(6), amountPaise: 5, hours: 30 },
      ],
    }),
    check('gateway_capture_missing', 'ERROR', { detail: 'razorpay did not answer' }),
  ],
};

/** The run whose report they are. */
export const unevenRun = {
  id: id(8),
  kind: 'REPORT',
  windowHours: 24,
  trigger: 'OPERATOR',
  status: 'DONE',
  requestedAt: at(29),
  startedAt: at(29),
  finishedAt: at(30),
  checksDone: 3,
  summary: unevenBooks.summary,
  report: { ...unevenBooks, runId: id(8), ageSeconds: 0 },
  databaseRules: null,
};

/** Runs of which one has ended, and two deployments that may have none. */
export const undecidedRuns = {
  items: [
    {
      id: '10000000001',
      target: 'backend',
      workflow: 'deploy-backend.yml',
      title: `Deploy backend (${id(7)})`,
      correlationId: id(7),
      status: 'completed',
      conclusion: 'success',
      branch: 'main',
      event: 'workflow_dispatch',
      actor: 'deployer',
      createdAt: at(11),
      updatedAt: at(12),
      url: 'https://ci.example/10000000001',
      invented_later: true,
    },
  ],
  undecided: [
    { correlationId: id(9), target: 'website', status: 'DISPATCHING', dispatchedAt: at(22) },
    { correlationId: id(8), target: 'backend', status: 'UNKNOWN', dispatchedAt: at(21) },
  ],
};
