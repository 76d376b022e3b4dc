const id = (last: number): string => `019a8c7e-0000-7000-8000-${String(last).padStart(12, '0')}`;

const page = (items: readonly object[], total = items.length) => ({
  items,
  total,
  page: 1,
  limit: 20,
});

export const failedPayout = {
  id: id(11),
  orderId: id(1),
  userId: id(2),
  bankAccountId: id(3),
  accountLast4: '7777',
  amountPaise: 12_345_678,
  status: 'FAILED',
  mode: 'IMPS',
  utr: null,
  attempt: 2,
  failureReason: 'The account is closed.\u001b[2J',
  createdAt: '2026-11-21T10:00:00.000Z',
  paidAt: null,
  approvedBy: null,
  providerPayoutId: null,
  hold: null,
};

export const payoutWithAttempts = {
  ...failedPayout,
  attempts: [
    {
      attempt: 2,
      status: 'FAILED',
      providerPayoutId: 'pout_2',
      startedAt: '2026-11-21T10:05:00.000Z',
      lastAskedAt: '2026-11-21T10:06:00.000Z',
      contradictedAt: null,
    },
    {
      attempt: 1,
      status: 'FAILED',
      providerPayoutId: null,
      startedAt: '2026-11-21T10:00:00.000Z',
      lastAskedAt: null,
      contradictedAt: '2026-11-21T10:04:00.000Z',
    },
  ],
};

export const payouts = page([failedPayout, { ...failedPayout, id: id(12), attempt: 1 }], 41);

const customer = {
  id: id(2),
  phone: '+919876543210',
  full_name: 'Asha Nair',
  email: 'asha@example.test',
  referralCode: 'GOLD2026',
  kycStatus: 'APPROVED',
  mpinSet: true,
  createdAt: '2026-11-01T10:00:00.000Z',
  blocked: false,
  blockedReason: null,
  providerUserId: 'sg-1',
  deletedAt: null,
};

export const customers = page([customer]);

export const customerWithAll = {
  ...customer,
  holding: {
    balance: '12.3456',
    reserved: '0.5000',
    investedPaise: 9_876_543,
    avgPricePaise: 800_000,
  },
  kyc: null,
  bankAccounts: [{ id: id(3), last4: '7777' }],
  securityEvents: [
    { kind: 'sign_in', ip: '192.0.2.1', count: 1, at: '2026-11-21T09:00:00.000Z' },
    { kind: 'mpin_refused', ip: '192.0.2.1', count: 3, at: '2026-11-20T09:00:00.000Z' },
  ],
  referralRewards: [],
};

const record = {
  id: id(21),
  userId: id(2),
  status: 'SUBMITTED',
  fullName: 'Asha Nair',
  dateOfBirth: '1990-01-01',
  panLast4: '234F',
  aadhaarLast4: '9012',
  pincode: '682001',
  warnings: [],
  documents: [{ kind: 'PAN', key: 'kyc/1' }],
  reviewReason: null,
  submittedAt: '2026-11-21T08:00:00.000Z',
  reviewedAt: null,
};

export const kycQueue = page([record]);
export const rejectedRecord = { ...record, status: 'REJECTED', reviewReason: 'not readable' };

const ticket = {
  reference: 'T-7K2M9Q',
  category: 'GRIEVANCE',
  status: 'OPEN',
  userId: id(2),
  subject: 'Where is my gold?',
  assignee: { id: id(9), email: 'meera@example.test' },
  dueAt: '2026-12-21T07:00:00.000Z',
  overdue: false,
  createdAt: '2026-11-21T07:00:00.000Z',
  updatedAt: '2026-11-21T07:00:00.000Z',
};

export const tickets = page([ticket]);
export const answeredTicket = {
  ...ticket,
  status: 'RESOLVED',
  name: 'Asha Nair',
  email: 'asha@example.test',
  phone: '9876543210',
  message: 'I paid an hour ago.',
  messages: [
    {
      at: '2026-11-21T07:20:00.000Z',
      author: 'OPERATOR',
      actor: { id: id(9), email: 'meera@example.test' },
      text: 'Your gold is in your account.',
    },
  ],
  notes: [
    {
      at: '2026-11-21T07:30:00.000Z',
      from: 'OPEN',
      to: 'RESOLVED',
      actor: { id: id(9), email: 'meera@example.test' },
      note: 'called back',
    },
  ],
};

const deadJob = {
  id: '4711',
  task: 'payout.send',
  status: 'dead',
  key: `payout:${id(11)}`,
  payload: { payoutId: id(11) },
  attempts: 25,
  maxAttempts: 25,
  lastError: 'The payout provider did not answer.',
  dueAt: '2026-11-21T06:00:00.000Z',
  createdAt: '2026-11-20T06:00:00.000Z',
};

export const deadJobs = page([deadJob]);
export const queuedJob = { ...deadJob, status: 'queued', attempts: 0, lastError: null };

export const waitingEvent = {
  id: id(31),
  source: 'payment',
  gateway: 'razorpay',
  eventId: 'evt_1',
  eventType: 'payment.captured',
  subject: 'order_1',
  gatewayPaymentId: 'pay_1',
  status: 'UNMATCHED',
  userId: null,
  attempts: 3,
  nextAttemptAt: '2026-11-21T11:00:00.000Z',
  lastError: null,
  receivedAt: '2026-11-21T05:00:00.000Z',
  appliedAt: null,
};

export const waitingEvents = page([waitingEvent]);

export const reviews = page([
  {
    kind: 'BUY',
    id: id(1),
    orderId: id(1),
    userId: id(2),
    code: 'AMOUNT_MISMATCH',
    reason: 'The captured amount is not the one of the order.',
    amountPaise: 10_050,
    since: '2026-11-21T04:00:00.000Z',
    link: `/v1/orders/${id(1)}`,
  },
]);

export const timeline = {
  items: [
    {
      at: '2026-11-21T03:00:00.000Z',
      kind: 'quote',
      summary: 'Quoted 1.2500 g for 7 minutes.',
      data: { grams: '1.2500' },
    },
    {
      at: '2026-11-21T03:00:01.000Z',
      kind: 'provider_call',
      summary: 'buy-confirm is unknown after 15000 ms.',
      data: { outcome: 'unknown', durationMs: 15_000 },
    },
    {
      at: '2026-11-21T04:00:00.000Z',
      kind: 'transition',
      actor: 'meera@example.test',
      summary: 'MANUAL_REVIEW to ALLOCATED.',
      data: {},
    },
  ],
};

export const blockedReadiness = {
  ready: false,
  items: [
    {
      id: 'legal_entity',
      title: 'Legal entity',
      blocking: true,
      status: 'FAIL',
      detail: 'None on file.',
    },
    {
      id: 'merchant_tax_registration',
      title: 'The merchant’s tax registration',
      blocking: true,
      status: 'PASS',
      detail: 'The evidence is verified.',
      warning: 'It expires after 2026-12-01.',
      evidence: {
        value: '29ABCDE1234F1Z5',
        reference: 'GST certificate of 2026-04-01',
        verified: true,
        expiresOn: '2026-12-01',
        updatedAt: '2026-04-01T07:00:00.000Z',
      },
    },
    { id: 'price_feed', title: 'Price feed', blocking: true, status: 'PASS', detail: 'Ticks.' },
  ],
};

export const recordedEvidence = {
  value: '29ABCDE1234F1Z5',
  reference: 'GST certificate of 2026-11-20',
  verified: true,
  expiresOn: '2027-12-01',
  updatedAt: '2026-11-21T09:00:00.000Z',
};

export const listedOrders = page(
  [
    {
      id: id(1),
      user_id: id(2),
      type: 'BUY',
      status: 'MANUAL_REVIEW',
      amount_inr: '123456.50',
      grams: '8.2417',
      manual_review_code: 'PAYMENT_REVERSED',
      created_at: '2026-11-21T03:00:00.000Z',
    },
    {
      id: id(4),
      user_id: id(2),
      type: 'SELL',
      status: 'COMPLETED',
      amount_inr: '500.00',
      grams: null,
      manual_review_code: null,
      created_at: '2026-11-20T03:00:00.000Z',
    },
  ],
  31,
);
