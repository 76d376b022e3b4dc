import { z } from 'zod';
import { fromSafePaise } from '../../../money/index.ts';
import type {
  PayoutPageRequest,
  PayoutProviderRules,
  ProviderPayoutStatus,
  ValidationStatus,
  ProviderPayout,
  ProviderValidation,
} from '../port.ts';
import { orLeftOut, safeInteger, textOrDigits } from '../../../platform/http-client/index.ts';
import { meaningOf, withoutNumbers } from '../../http-texts.ts';
import type { RowRules } from '../../read-rows.ts';

/*
 * This file has all assumptions of the adapter about RazorpayX. Pages are those of
 * razorpay.com/docs/api/x unless another folder is named. An assumption that the pages don't settle is
 * marked "unverified". It comes from client code of third parties or is our interpretation, and must
 * be checked with live keys, because test mode has no penny-drops (composite-account-validation).
 */

const dayMs = 86_400_000;

export const razorpayxRules: PayoutProviderRules = {
  // payouts/create/bank-account: `amount` is at least 100 paise.
  minimumPaise: fromSafePaise(100),
  // IMPS carries INR 5 lakh (Reserve Bank of India, 2021-10-08).
  maximumImpsPaise: fromSafePaise(50_000_000),
  // payout-idempotency: a key is valid for 7 days from the first submission.
  idempotencyKeyLifeMs: 7 * dayMs,
};

/**
 * payout-idempotency/make-request: the header is mandatory since 2025-03-15. Another body with a known
 * key is a BAD_REQUEST.
 */
export const idempotencyHeader = 'x-payout-idempotency';

/** payout-idempotency/make-request: a key has 4 to 36 of these characters. */
export const idempotencyKeyPattern = /^[A-Za-z0-9_ -]{4,36}$/;

/** payouts/create/bank-account, contacts/create: `reference_id` has at most 40 characters. */
export const referenceIdPattern = /^.{1,40}$/;

export const paths = {
  contacts: '/v1/contacts',
  fundAccounts: '/v1/fund_accounts',
  payouts: '/v1/payouts',
  payout: (id: string) => `/v1/payouts/${id}`,
  validations: '/v1/fund_accounts/validations',
  // composite-account-validation. The list of validations can't be narrowed to a reference, so it is
  // not used.
  validation: (id: string) => `/v1/fund_accounts/validations/${id}`,
} as const;

/** payouts/create/bank-account: a classification that every account has. */
export const purpose = 'payout';

/** payouts/create/bank-account: a payout waits while our account has too little money. */
export const queueIfLowBalance = true;

/** contacts/create: the type of a contact is vendor, customer, employee or self. */
export const contactType = 'customer';

/** composite-account-validation/bank-account: the cheapest type that gets an answer. */
export const validationType = 'optimized';

/** payouts/fetch-all. Unverified: that a page has at most 100. */
export const pageSize = 100;

/**
 * payouts/fetch-all. Unverified: that `reference_id` narrows the list, as third parties' clients
 * assume. If it does not, the list has other references and shows nothing about this one.
 */
export const referenceQuery = (accountNumber: string, referenceId: string) => ({
  account_number: accountNumber,
  reference_id: referenceId,
  count: String(pageSize),
});

const secondsOf = (time: Date): string => String(Math.floor(time.getTime() / 1000));

/** payouts/fetch-all. Unverified: that payouts of both seconds, `from` and `to`, are listed. */
export const pageQuery = (accountNumber: string, { from, to, page }: PayoutPageRequest) => ({
  account_number: accountNumber,
  from: secondsOf(from),
  to: secondsOf(to),
  count: String(pageSize),
  skip: String((page - 1) * pageSize),
});

/**
 * payouts/entity, payouts-approval/entity, webhooks/payouts: a `processed` payout may still become
 * `reversed`. The other end states are final. A `rejected` payout was refused in the approval, and a
 * `cancelled` payout was removed from the queue. Neither was paid, as with `failed`.
 */
export const payoutStatuses = {
  pending: 'PROCESSING',
  queued: 'PROCESSING',
  scheduled: 'PROCESSING',
  processing: 'PROCESSING',
  processed: 'PAID',
  reversed: 'REVERSED',
  cancelled: 'FAILED',
  rejected: 'FAILED',
  failed: 'FAILED',
} as const satisfies Readonly<Record<string, ProviderPayoutStatus>>;

/**
 * composite-account-validation/entity documents `valid`, its fetch-all `active`. Only these two
 * mean a good account.
 */
const goodAccounts: ReadonlySet<string | undefined> = new Set(['active', 'valid']);

/**
 * Returns the status of a validation (composite-account-validation). `completed` means only that the
 * validation ran. `failed` is a technical error, which shows nothing about the account. If `completed`
 * has no account status, the bank returned none, and a new validation may get one. A state that is not
 * documented is not final.
 */
const validationStatus = (status: string, accountStatus: string | undefined): ValidationStatus => {
  if (status === 'failed') return 'FAILED';
  if (status !== 'completed') return 'PENDING';
  if (accountStatus === undefined || accountStatus === '') return 'FAILED';
  return goodAccounts.has(accountStatus) ? 'VALID' : 'INVALID';
};

/** errors/x: an unknown id. Unverified: that it may also be a plain 404. */
export const saysNotFound = (status: number, description: string): boolean =>
  // The refusal of an unknown address shows nothing about any payout.
  description !== '' &&
  !/requested url/i.test(description) &&
  (status === 404 || (status === 400 && /does not exist|not a valid id/i.test(description)));

/**
 * The statuses which show that a request was read and refused. Unverified: that a 409 is the response
 * to a key whose request is still in progress. After a 409 the outcome is unknown.
 */
export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 422]);

/**
 * webhooks/validate-test: the second header has the hex HMAC-SHA256 of the raw body. The first header
 * is the contract's own. Either header is accepted, since both need the secret.
 */
export const signatureHeaders = ['x-gateway-signature', 'x-razorpay-signature'] as const;

/** webhooks/best-practices: the header has the id of the event, the same for each delivery. */
export const eventIdHeader = 'x-razorpay-event-id';

/**
 * contacts/create: the example is 9123456789, so ten digits are sent. Unverified: that a number with
 * its country code counts as another number.
 */
export const contactNumber = (phone: string): string => phone.replace(/^\+91/, '');

/**
 * Returns a name that the provider accepts (contacts/create, fund-accounts/create). A name has 3 to 50
 * characters for a contact, or 3 to 120 for a bank account. They are letters, digits, spaces and
 * `'-_/().`. Of these signs, only the dot may end the name.
 */
export const nameOf = (name: string, maximum: number): string => {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 '\-_/().]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, maximum)
    .replace(/[ '\-_/()]+$/, '');
  return plain.length < 3 ? `Customer ${plain}`.trim() : plain;
};

export const contactNameLength = 50;
export const holderNameLength = 120;

/** payouts/create/bank-account: a narration has at most 30 letters, digits and spaces. */
export const narrationOf = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9 ]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, 30);

/*
 * RazorpayX's responses. Only values that can be stored are accepted. An id is a short word, and an
 * amount is a safe integer of paise. An unexpected value of an unimportant field is dropped.
 */

const id = z.string().regex(/^\w{1,64}$/);
export const amount = safeInteger.refine((value) => value >= 0).transform(fromSafePaise);

/** Reads a text for people, without digits that could be a part of an account number. */
const reasonText = z
  .string()
  .transform((text) => withoutNumbers(text).slice(0, 200))
  .nullish()
  .catch(undefined);

const short = z
  .string()
  .regex(/^[\x20-\x7e]{1,64}$/)
  .nullish()
  .catch(undefined);

const given = <K extends string>(name: K, value: string | null | undefined) =>
  // TypeScript widens a computed name to an index signature, so the one name is asserted.
  (value === null || value === undefined || value === '' ? {} : { [name]: value }) as Partial<
    Record<K, string>
  >;

export const payoutFields = z.object({
  id,
  fund_account_id: short,
  reference_id: short,
  mode: short,
  utr: short,
  failure_reason: reasonText,
  status_details: z.object({ description: reasonText }).nullish().catch(undefined),
});

/** The name of a state that a response leaves out. */
const unnamedState = 'unnamed';

type PayoutFields = z.output<typeof payoutFields>;

/** Converts the fields that responses and events share. Only an unpaid payout has a reason. */
export const describePayout = (payout: PayoutFields, providerStatus: string) => {
  const status = meaningOf<ProviderPayoutStatus>(payoutStatuses, providerStatus, 'PROCESSING');
  const reason = payout.status_details?.description ?? payout.failure_reason;
  return {
    providerPayoutId: payout.id,
    status,
    providerStatus,
    ...given('referenceId', payout.reference_id),
    ...given('fundAccountId', payout.fund_account_id),
    ...given('mode', payout.mode),
    ...given('utr', payout.utr),
    ...(status === 'FAILED' || status === 'REVERSED' ? given('failureReason', reason) : {}),
  };
};

/**
 * payouts/entity. A payout in a state that is not documented counts as in progress. It is queried
 * again, and an operator sees it if it takes too long.
 */
export const payoutAnswer = payoutFields
  .extend({
    amount,
    currency: orLeftOut(z.literal('INR')),
    status: short.transform((status) => (status ?? '') || unnamedState),
  })
  .transform((payout): ProviderPayout => ({
    ...describePayout(payout, payout.status),
    amountPaise: payout.amount,
  }));

const payoutState = {
  of: (row: Readonly<Record<string, unknown>>) => row['status'],
  isKnown: (name: string) => Object.hasOwn(payoutStatuses, name),
};

/** payouts/fetch-all, narrowed to a reference. */
export const payoutRowsOf = (referenceId: string): RowRules<ProviderPayout> => ({
  entity: 'payout',
  subject: { id: referenceId, idOf: (row) => row['reference_id'], isNamed: true },
  state: payoutState,
  schema: payoutAnswer,
});

/** payouts/fetch-all */
export const payoutRows: RowRules<ProviderPayout> = {
  entity: 'payout',
  state: payoutState,
  schema: payoutAnswer,
};

/** The response of every list. */
export const listAnswer = z
  .object({ items: z.array(z.unknown()) })
  .transform(({ items }): readonly unknown[] => items);

/** contacts/create */
export const contactAnswer = z.object({ id, reference_id: short });

/** fund-accounts/create: the response repeats the whole account number. */
export const fundAccountAnswer = z.object({
  id,
  contact_id: short,
  bank_account: z.object({ account_number: textOrDigits.nullish() }).nullish().catch(undefined),
});

/**
 * Returns true for the number of another account. Unverified: that the response has the whole number.
 * Of a masked number, only the digits at its end are compared.
 */
export const isOtherAccount = (answered: string, requested: string): boolean => {
  const shown = answered.replace(/^[*Xx]+/, '');
  return shown === answered ? answered !== requested : !requested.endsWith(shown);
};

const results = z.object({
  account_status: z.string().nullish().catch(undefined),
  registered_name: z.string().max(200).nullish().catch(undefined),
  name_match_score: safeInteger.pipe(z.int().min(0).max(100)).nullish().catch(undefined),
  details: reasonText,
});

export const validationFields = z.object({
  id,
  reference_id: short,
  validation_results: results.nullish().catch(undefined),
  // webhooks/account-validation still shows this older name.
  results: results.nullish().catch(undefined),
  status_details: z.object({ description: reasonText }).nullish().catch(undefined),
});

type ValidationFields = z.output<typeof validationFields>;

/** The reason of a completed validation without an account status. */
const noAccountStatus = 'The bank named no status of the account.';

/** Converts the fields of a validation that responses and events share. */
export const describeValidation = (
  validation: ValidationFields,
  providerStatus: string,
): ProviderValidation => {
  const found = validation.validation_results ?? validation.results;
  const status = validationStatus(providerStatus, found?.account_status ?? undefined);
  const lacksStatus = providerStatus === 'completed' && status === 'FAILED';
  const details = found?.details ?? validation.status_details?.description;
  const reason = (details ?? '') || (lacksStatus ? noAccountStatus : undefined);
  const score = found?.name_match_score;
  return {
    validationId: validation.id,
    status,
    providerStatus,
    ...given('referenceId', validation.reference_id),
    ...given('registeredName', found?.registered_name),
    ...(score === null || score === undefined ? {} : { nameMatchScore: score }),
    ...(status === 'INVALID' || status === 'FAILED' ? given('reason', reason) : {}),
  };
};

/** composite-account-validation/entity */
export const validationAnswer = validationFields
  .extend({ status: short.transform((status) => (status ?? '') || unnamedState) })
  .transform((validation) => describeValidation(validation, validation.status));
