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
 * Everything that the adapter assumes of RazorpayX. Pages are those of razorpay.com/docs/api/x
 * unless another folder is named. An assumption that they don't settle is marked "unverified": it
 * comes from client code of third parties or is our reading, and must be checked with live keys
 * (penny-drops do not exist in test mode: composite-account-validation).
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
 * payout-idempotency/make-request: mandatory since 2025-03-15. Another body under a known key is a
 * BAD_REQUEST.
 */
export const idempotencyHeader = 'x-payout-idempotency';

/** payout-idempotency/make-request: 4 to 36 of these. */
export const idempotencyKeyPattern = /^[A-Za-z0-9_ -]{4,36}$/;

/** payouts/create/bank-account, contacts/create: `reference_id` has at most 40 characters. */
export const referenceIdPattern = /^.{1,40}$/;

export const paths = {
  contacts: '/v1/contacts',
  fundAccounts: '/v1/fund_accounts',
  payouts: '/v1/payouts',
  payout: (id: string) => `/v1/payouts/${id}`,
  validations: '/v1/fund_accounts/validations',
  // composite-account-validation. There is a list of validations too, but it can't be narrowed
  // to a reference, and a search through all of it is no way to find one.
  validation: (id: string) => `/v1/fund_accounts/validations/${id}`,
} as const;

/** payouts/create/bank-account: one of the classifications that every account has. */
export const purpose = 'payout';

/**
 * payouts/create/bank-account: with too little in our account a payout waits instead of failing.
 */
export const queueIfLowBalance = true;

/** contacts/create: one of vendor, customer, employee, self. */
export const contactType = 'customer';

/** composite-account-validation/bank-account: cheapest way that reaches an answer. */
export const validationType = 'optimized';

/** payouts/fetch-all. Unverified: that a page has at most 100. */
export const pageSize = 100;

/**
 * payouts/fetch-all. Unverified: that `reference_id` narrows the list, as clients have it. Where it
 * does not, the answer holds other references and proves nothing.
 */
export const referenceQuery = (accountNumber: string, referenceId: string) => ({
  account_number: accountNumber,
  reference_id: referenceId,
  count: String(pageSize),
});

const secondsAt = (at: Date): string => String(Math.floor(at.getTime() / 1000));

/** payouts/fetch-all. Unverified: that both ends, in seconds, belong to the stretch. */
export const pageQuery = (accountNumber: string, { from, to, page }: PayoutPageRequest) => ({
  account_number: accountNumber,
  from: secondsAt(from),
  to: secondsAt(to),
  count: String(pageSize),
  skip: String((page - 1) * pageSize),
});

/**
 * payouts/entity, payouts-approval/entity, webhooks/payouts: `processed` may still become
 * `reversed`. The other ends are final. `rejected` was refused in approval and `cancelled` taken
 * out of the queue: like `failed`, not paid.
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
 * composite-account-validation: `completed` means only that the validation ran. `failed` is a
 * technical error, which proves nothing about the account. Neither does `completed` without the
 * account's status: the bank returned none, and may return it to a new validation. A state that
 * is not documented is not final.
 */
const validationStatus = (status: string, accountStatus: string | undefined): ValidationStatus => {
  if (status === 'failed') return 'FAILED';
  if (status !== 'completed') return 'PENDING';
  if (accountStatus === undefined || accountStatus === '') return 'FAILED';
  return goodAccounts.has(accountStatus) ? 'VALID' : 'INVALID';
};

/** errors/x: an unknown id. Unverified: that it may also be a plain 404. */
export const saysNotFound = (status: number, description: string): boolean =>
  // An address that the API does not have proves nothing about any payout.
  description !== '' &&
  !/requested url/i.test(description) &&
  (status === 404 || (status === 400 && /does not exist|not a valid id/i.test(description)));

/**
 * Statuses that prove that a request was read and refused. Unverified: whether a 409 comes for a
 * key whose request is still in progress. It proves nothing, so the outcome stays unknown.
 */
export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 422]);

/**
 * webhooks/validate-test: hex HMAC-SHA256 of the raw body. The contract's own header comes first.
 * Either will do, for both need the secret.
 */
export const signatureHeaders = ['x-gateway-signature', 'x-razorpay-signature'] as const;

/** webhooks/best-practices: unique to an event, the same on each delivery of it. */
export const eventIdHeader = 'x-razorpay-event-id';

/**
 * contacts/create: such as 9123456789. Unverified: that a number with its country code is taken
 * differently. Ten digits are sent, as in the example.
 */
export const contactNumber = (phone: string): string => phone.replace(/^\+91/, '');

/**
 * contacts/create, fund-accounts/create: a name has 3 to 50 (contact) or 120 (bank account) of
 * letters, digits, space and `'-_/().`, and ends with none of the signs but the dot.
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

/** payouts/create/bank-account: at most 30 of letters, digits and space. */
export const narrationOf = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9 ]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, 30);

/*
 * RazorpayX's answers. Only values that can be stored are accepted: an id is a short word, an
 * amount a safe integer of paise. An odd value of an unimportant field is dropped.
 */

const id = z.string().regex(/^\w{1,64}$/);
export const amount = safeInteger.refine((value) => value >= 0).transform(fromSafePaise);

/**
 * Text for people, or nothing. Digits that could be a part of an account number are blotted out.
 */
const words = z
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
  // A computed name widens to an index signature. It is this one name.
  (value === null || value === undefined || value === '' ? {} : { [name]: value }) as Partial<
    Record<K, string>
  >;

export const payoutFields = z.object({
  id,
  fund_account_id: short,
  reference_id: short,
  mode: short,
  utr: short,
  failure_reason: words,
  status_details: z.object({ description: words }).nullish().catch(undefined),
});

/** Stands in for a state that an answer leaves out. */
const unnamedState = 'unnamed';

type PayoutFields = z.output<typeof payoutFields>;

/** Maps the fields that answers and events share. Only a failed or reversed payout has a reason. */
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
 * payouts/entity. A payout in a state that is not in the documents is under way: it is queried
 * again, and seen by an operator once it takes long.
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
  about: { id: referenceId, idOf: (row) => row['reference_id'], isNamed: true },
  state: payoutState,
  schema: payoutAnswer,
});

/** payouts/fetch-all */
export const payoutRows: RowRules<ProviderPayout> = {
  entity: 'payout',
  state: payoutState,
  schema: payoutAnswer,
};

/** Every list. */
export const listAnswer = z
  .object({ items: z.array(z.unknown()) })
  .transform(({ items }): readonly unknown[] => items);

/** contacts/create */
export const contactAnswer = z.object({ id, reference_id: short });

/** fund-accounts/create: repeats the whole number of the account. */
export const fundAccountAnswer = z.object({
  id,
  contact_id: short,
  bank_account: z.object({ account_number: textOrDigits.nullish() }).nullish().catch(undefined),
});

/**
 * Returns true for the number of another account. Unverified: that it is answered whole. A masked
 * one is held against the digits that it shows at its end.
 */
export const isOtherAccount = (answered: string, requested: string): boolean => {
  const shown = answered.replace(/^[*Xx]+/, '');
  return shown === answered ? answered !== requested : !requested.endsWith(shown);
};

const results = z.object({
  account_status: z.string().nullish().catch(undefined),
  registered_name: z.string().max(200).nullish().catch(undefined),
  name_match_score: safeInteger.pipe(z.int().min(0).max(100)).nullish().catch(undefined),
  details: words,
});

export const validationFields = z.object({
  id,
  reference_id: short,
  validation_results: results.nullish().catch(undefined),
  // webhooks/account-validation still shows this older name.
  results: results.nullish().catch(undefined),
  status_details: z.object({ description: words }).nullish().catch(undefined),
});

type ValidationFields = z.output<typeof validationFields>;

/** The reason of a validation that ran and left the account's status out. */
const noAccountStatus = 'The bank named no status of the account.';

/** Maps the fields that answers and events of a validation share. */
export const describeValidation = (
  validation: ValidationFields,
  providerStatus: string,
): ProviderValidation => {
  const found = validation.validation_results ?? validation.results;
  const status = validationStatus(providerStatus, found?.account_status ?? undefined);
  const isSilent = providerStatus === 'completed' && status === 'FAILED';
  const said = found?.details ?? validation.status_details?.description;
  const reason = (said ?? '') || (isSilent ? noAccountStatus : undefined);
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
