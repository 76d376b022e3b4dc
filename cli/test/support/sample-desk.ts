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
    { id: 'price_feed', title: 'Price feed', blocking: true, status: 'PASS', detail: 'Ticks.' },
  ],
};
