import type {
  RazorpayxStore,
  Contact,
  FundAccount,
  Payout,
  Validation,
} from './razorpayx-store.ts';

const payoutDetails = {
  processing: [
    'Payout is being processed by the partner bank',
    'partner_bank',
    'payout_bank_processing',
  ],
  processed: [
    'Payout is processed and the money has been credited',
    'beneficiary_bank',
    'payout_processed',
  ],
  failed: ['Payout failed at the beneficiary bank', 'beneficiary_bank', 'beneficiary_bank_failure'],
  rejected: ['Payout was rejected', 'business', 'payout_rejected'],
  reversed: ['Payout was returned by the beneficiary bank', 'beneficiary_bank', 'payout_reversed'],
} as const satisfies Record<Payout['status'], readonly [string, string, string]>;

const validationDetails = {
  created: ['Validation request is created', 'internal', 'validation_request_created'],
  completed: ['Validation request is completed', 'beneficiary_bank', 'validation_completed'],
  failed: ['Validation request failed for a technical reason', 'beneficiary_bank', 'bank_error'],
} as const satisfies Record<Validation['status'], readonly [string, string, string]>;

const details = ([description, source, reason]: readonly [string, string, string]) => ({
  description,
  source,
  reason,
});

/** Shows a contact as the API does. */
export const contactView = (contact: Contact) => ({
  entity: 'contact',
  ...contact,
  batch_id: null,
  active: true,
  notes: [],
});

/** Shows a fund account as the API does, with its whole number. */
export const fundAccountView = ({ name, ifsc, account_number, ...account }: FundAccount) => ({
  entity: 'fund_account',
  ...account,
  account_type: 'bank_account',
  bank_account: { ifsc, bank_name: `${ifsc.slice(0, 4)} Bank`, name, account_number, notes: [] },
  batch_id: null,
  active: true,
});

/** Shows a payout as the API and the webhooks do. */
export const payoutView = ({ idempotency_key: _key, asked: _asked, ...payout }: Payout) => ({
  entity: 'payout',
  ...payout,
  currency: 'INR',
  notes: [],
  fees: 0,
  tax: 0,
  batch_id: null,
  status_details: details(payoutDetails[payout.status]),
});

const resultsOf = ({ status, account_status: accountStatus }: Validation, name: string | null) => {
  const isActive = accountStatus === 'active';
  if (status !== 'completed') {
    return { account_status: null, registered_name: null, details: null, name_match_score: null };
  }
  return {
    account_status: accountStatus,
    registered_name: isActive ? name : null,
    details: isActive ? 'The beneficiary account is valid.' : 'The beneficiary account is invalid.',
    name_match_score: isActive ? 100 : 0,
  };
};

/** Shows a penny-drop as the API and the webhooks do. */
export const validationView = (store: RazorpayxStore, validation: Validation) => {
  const account = store.fundAccounts.get(validation.fund_account_id);
  const contact = store.contacts.get(account?.contact_id);
  return {
    id: validation.id,
    entity: 'fund_account.validation',
    status: validation.status,
    validation_results: resultsOf(validation, account?.name ?? null),
    status_details: details(validationDetails[validation.status]),
    reference_id: validation.reference_id,
    notes: [],
    fund_account: {
      ...(account !== undefined && fundAccountView(account)),
      ...(contact !== undefined && { contact: contactView(contact) }),
    },
    created_at: validation.created_at,
  };
};
