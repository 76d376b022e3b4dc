import { overstateItems, overstatePaise } from '../../core/wrong-amount.ts';
import { z } from 'zod';
import { type Payout, secondsAt, type RazorpayxStore } from './razorpayx-store.ts';
import { isDeepStrictEqual } from 'node:util';
import { okAnswer, type Answer, type Call, type Operation } from '../../core/collaborator.ts';
import type { RazorpayxPayoutSimulator } from './razorpayx-payout-simulator.ts';
import type { Clock } from '../../../../platform/clock/clock.ts';
import { payoutView } from './razorpayx-views.ts';
import { badRequest, payoutSchema, readBody, unknownId } from './razorpayx-wire.ts';

interface PayoutContext {
  readonly store: RazorpayxStore;
  readonly simulator: RazorpayxPayoutSimulator;
  readonly clock: Clock;
  /** The service's own account at the provider. */
  readonly accountNumber: string;
}

const count = (otherwise: number, minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(otherwise);

/** Describes the query of GET payouts (page payouts/fetch-all). */
const listSchema = z.object({
  account_number: z.string(),
  reference_id: z.string().optional(),
  fund_account_id: z.string().optional(),
  status: z.string().optional(),
  mode: z.string().optional(),
  from: z.coerce.number().int().optional(),
  to: z.coerce.number().int().optional(),
  count: count(10, 1, 100),
  skip: count(0, 0, Number.MAX_SAFE_INTEGER),
});

/** Returns the requested page of payouts, in the order in which they are given. */
const pageOf = (
  payouts: readonly Payout[],
  asked: z.output<typeof listSchema>,
): readonly Payout[] =>
  payouts
    .filter(
      (payout) =>
        (asked.reference_id ?? payout.reference_id) === payout.reference_id &&
        (asked.fund_account_id ?? payout.fund_account_id) === payout.fund_account_id &&
        (asked.status ?? payout.status) === payout.status &&
        (asked.mode ?? payout.mode) === payout.mode &&
        (asked.from ?? 0) <= payout.created_at &&
        payout.created_at <= (asked.to ?? Number.MAX_SAFE_INTEGER),
    )
    .slice(asked.skip, asked.skip + asked.count);

const keyHeader = 'x-payout-idempotency';
const keyPattern = /^[A-Za-z0-9_ -]{4,36}$/u;
/** Keys are valid for 7 days (page payout-idempotency). */
const keyLifeSeconds = 7 * 86_400;
const maximumImpsPaise = 50_000_000;

const keyOf = ({ headers }: Call): string | undefined => {
  const key = headers[keyHeader];
  return typeof key === 'string' ? key : undefined;
};

const misstate = overstatePaise('amount');
const misstateItems = overstateItems('amount');

const madeUnder = ({ store, clock }: PayoutContext, key: string): Payout | undefined => {
  const since = secondsAt(clock.now()) - keyLifeSeconds;
  return store.payouts.newestWhere(
    ({ idempotency_key, created_at }) => idempotency_key === key && created_at > since,
  );
};

const createPayout = (context: PayoutContext, call: Call): Answer => {
  const { store, simulator, accountNumber } = context;
  const key = keyOf(call);
  if (key === undefined) {
    const words = 'Idempotency key is missing. Include idempotency header and key in the request.';
    return badRequest(words, 'X-Payout-Idempotency');
  }
  if (!keyPattern.test(key)) {
    return badRequest('The idempotency key is not valid.', 'X-Payout-Idempotency');
  }
  const known = madeUnder(context, key);
  if (known !== undefined) {
    return isDeepStrictEqual(known.asked, call.body)
      ? okAnswer(payoutView(known))
      : badRequest('A different request body was sent for the same idempotency key.');
  }
  const read = readBody(payoutSchema, call.body);
  if ('refused' in read) return read.refused;
  const asked = read.value;
  if (asked.account_number !== accountNumber) {
    return badRequest('The account number is invalid.', 'account_number');
  }
  if (store.fundAccounts.get(asked.fund_account_id) === undefined) return unknownId;
  if (asked.mode === 'IMPS' && asked.amount > maximumImpsPaise) {
    return badRequest('The amount is above the limit of the mode.', 'amount');
  }
  const payout = store.payouts.add({
    idempotency_key: key,
    asked: call.body,
    fund_account_id: asked.fund_account_id,
    amount: asked.amount,
    mode: asked.mode,
    purpose: asked.purpose,
    reference_id: asked.reference_id ?? null,
    narration: asked.narration ?? null,
    status: 'processing',
    utr: null,
  });
  simulator.settlePayoutLater(payout);
  return okAnswer(payoutView(payout));
};

const getPayout = ({ store }: PayoutContext, { params }: Call): Answer => {
  const payout = store.payouts.get(params['payoutId']);
  return payout === undefined ? unknownId : okAnswer(payoutView(payout));
};

const listPayouts = (context: PayoutContext, { query }: Call): Answer => {
  const read = readBody(listSchema, Object.fromEntries(query));
  if ('refused' in read) return read.refused;
  const asked = read.value;
  if (asked.account_number !== context.accountNumber) {
    return badRequest('The account number is invalid.', 'account_number');
  }
  const items = pageOf(context.store.payouts.all(), asked).map(payoutView);
  return okAnswer({ entity: 'collection', count: items.length, items });
};

/** Serves payouts: makes one per idempotency key, reads one by its id, lists them. */
export const payoutOperations = (context: PayoutContext): readonly Operation[] => {
  const payouts = '/v1/payouts';
  return [
    {
      name: 'create-payout',
      method: 'POST',
      path: payouts,
      handle: (call) => createPayout(context, call),
      idempotencyKey: keyOf,
      misstate,
    },
    {
      name: 'list-payouts',
      method: 'GET',
      path: payouts,
      handle: (call) => listPayouts(context, call),
      misstate: misstateItems,
    },
    {
      name: 'get-payout',
      method: 'GET',
      path: `${payouts}/:payoutId`,
      handle: (call) => getPayout(context, call),
      misstate,
    },
  ];
};
