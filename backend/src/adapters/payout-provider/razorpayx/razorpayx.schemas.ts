import { z } from 'zod';
import { fromSafePaise } from '../../../money/index.ts';
import { safeInteger } from '../../../platform/http-client/index.ts';
import { withoutNumbers } from '../../http-texts.ts';
import type { ProviderPayout, ProviderValidation } from '../port.ts';
import { payoutStatuses, validationStatus } from './razorpayx.facts.ts';

/*
 * RazorpayX's answers and events. What comes in is held to what can be stored: an id is a short
 * word, an amount a safe integer of paise. Fields that nothing depends on are dropped when odd.
 */

const id = z.string().regex(/^\w{1,64}$/);
const amount = safeInteger.refine((value) => value >= 0).transform(fromSafePaise);

/** Text for people, or nothing; digits that could be a part of an account number are blotted out. */
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
  // A computed name widens to an index signature; it is this one name.
  (value === null || value === undefined || value === '' ? {} : { [name]: value }) as Partial<
    Record<K, string>
  >;

const payoutFields = z.object({
  id,
  fund_account_id: short,
  reference_id: short,
  mode: short,
  utr: short,
  failure_reason: words,
  status_details: z.object({ description: words }).nullish().catch(undefined),
});

type PayoutFields = z.output<typeof payoutFields>;

/** Maps the fields that answers and events share. Only a failed or reversed payout has a reason. */
export const describePayout = (
  payout: PayoutFields,
  providerStatus: keyof typeof payoutStatuses,
) => {
  const status = payoutStatuses[providerStatus];
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

const payoutStatusNames = Object.keys(payoutStatuses);

const payoutStatusName = z.custom<keyof typeof payoutStatuses>(
  (value) => typeof value === 'string' && payoutStatusNames.includes(value),
);

/** payouts/entity. An answer with a status that is not in the documents can't be read. */
export const payoutAnswer = payoutFields
  .extend({ amount, currency: z.literal('INR'), status: payoutStatusName })
  .transform((payout): ProviderPayout => ({
    ...describePayout(payout, payout.status),
    amountPaise: payout.amount,
  }));

/** payouts/fetch-all */
export const payoutsAnswer = z.object({ items: z.array(payoutAnswer) });

/** The payout of an event: its snapshot may lack what an answer has. */
export const payoutOfEvent = payoutFields.extend({ amount: amount.optional() });

/** contacts/create, fund-accounts/create */
export const idAnswer = z.object({ id });

const results = z.object({
  account_status: z.string().nullish().catch(undefined),
  registered_name: z.string().max(200).nullish().catch(undefined),
  name_match_score: safeInteger.pipe(z.int().min(0).max(100)).nullish().catch(undefined),
  details: words,
});

const validationFields = z.object({
  id,
  reference_id: short,
  validation_results: results.nullish().catch(undefined),
  // webhooks/account-validation still shows this older name.
  results: results.nullish().catch(undefined),
  status_details: z.object({ description: words }).nullish().catch(undefined),
});

type ValidationFields = z.output<typeof validationFields>;

/** Maps the fields that answers and events of a validation share. */
export const describeValidation = (
  validation: ValidationFields,
  providerStatus: 'created' | 'completed' | 'failed',
): ProviderValidation => {
  const found = validation.validation_results ?? validation.results;
  const status = validationStatus(providerStatus, found?.account_status ?? undefined);
  const reason = found?.details ?? validation.status_details?.description;
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
  .extend({ status: z.enum(['created', 'completed', 'failed']) })
  .transform((validation) => describeValidation(validation, validation.status));

/** The validation of an event. */
export const validationOfEvent = validationFields;

/** errors: the error body of every call. */
export const errorAnswer = z.object({
  error: z.object({ code: z.string(), description: z.string() }),
});

/** webhooks/payloads/x: the envelope; `created_at` is in seconds. */
export const eventBody = z.object({
  event: z.string().regex(/^[\w.-]{1,64}$/),
  created_at: safeInteger
    .refine((seconds) => seconds > 0 && seconds < 100_000_000_000)
    .transform((seconds) => new Date(seconds * 1000))
    .optional()
    .catch(undefined),
  payload: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
