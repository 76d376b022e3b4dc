import { isSparseCustomer } from '../../core/left-out.ts';
import { oddRow } from '../../core/odd-rows.ts';
import { overstateItems, overstatePaise } from '../../core/wrong-amount.ts';
import { z } from 'zod';
import { type Payout, secondsAt, type RazorpayxStore } from './razorpayx-store.ts';
import { isDeepStrictEqual } from 'node:util';
import { okAnswer, type Answer, type Call, type Operation } from '../../core/collaborator.ts';
import type { RazorpayxPayoutSimulator } from './razorpayx-payout-simulator.ts';
import type { Clock } from '../../../../platform/clock/clock.ts';
import { payoutView } from './razorpayx-views.ts';
import { badRequest, payoutSchema, readBody, unknownId } from './razorpayx.wire.ts';

interface PayoutDeps {
  readonly store: RazorpayxStore;
  readonly simulator: RazorpayxPayoutSimulator;
  readonly clock: Clock;
  /** The service's own account at the provider. */
  readonly accountNumber: string;
}

const count = (defaultValue: number, minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(defaultValue);

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

/** Returns the requested page of payouts, in the order of the list. */
const pageOf = (
  payouts: readonly Payout[],
  query: z.output<typeof listSchema>,
): readonly Payout[] =>
  payouts
    .filter(
      (payout) =>
        (query.reference_id ?? payout.reference_id) === payout.reference_id &&
        (query.fund_account_id ?? payout.fund_account_id) === payout.fund_account_id &&
        (query.status ?? payout.status) === payout.status &&
        (query.mode ?? payout.mode) === payout.mode &&
        (query.from ?? 0) <= payout.created_at &&
        payout.created_at <= (query.to ?? Number.MAX_SAFE_INTEGER),
    )
    .slice(query.skip, query.skip + query.count);

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

const findByIdempotencyKey = ({ store, clock }: PayoutDeps, key: string): Payout | undefined => {
  const since = secondsAt(clock.now()) - keyLifeSeconds;
  return store.payouts.newestWhere(
    ({ idempotency_key, created_at }) => idempotency_key === key && created_at > since,
  );
};

const createPayout = (deps: PayoutDeps, call: Call): Answer => {
  const { store, simulator, accountNumber } = deps;
  const key = keyOf(call);
  if (key === undefined) {
    const message =
      'Idempotency key is missing. Include idempotency header and key in the request.';
    return badRequest(message, 'X-Payout-Idempotency');
  }
  if (!keyPattern.test(key)) {
    return badRequest('The idempotency key is not valid.', 'X-Payout-Idempotency');
  }
  const known = findByIdempotencyKey(deps, key);
  if (known !== undefined) {
    return isDeepStrictEqual(known.asked, call.body)
      ? okAnswer(payoutView(known))
      : badRequest('A different request body was sent for the same idempotency key.');
  }
  const read = readBody(payoutSchema, call.body);
  if ('refused' in read) return read.refused;
  const request = read.value;
  if (request.account_number !== accountNumber) {
    return badRequest('The account number is invalid.', 'account_number');
  }
  if (store.fundAccounts.get(request.fund_account_id) === undefined) return unknownId;
  if (request.mode === 'IMPS' && request.amount > maximumImpsPaise) {
    return badRequest('The amount is above the limit of the mode.', 'amount');
  }
  const payout = store.payouts.add({
    idempotency_key: key,
    asked: call.body,
    fund_account_id: request.fund_account_id,
    amount: request.amount,
    mode: request.mode,
    purpose: request.purpose,
    reference_id: request.reference_id ?? null,
    narration: request.narration ?? null,
    status: 'processing',
    utr: null,
  });
  simulator.endPayoutLater(payout);
  return okAnswer(payoutView(payout));
};

const getPayout = ({ store }: PayoutDeps, { params }: Call): Answer => {
  const payout = store.payouts.get(params['payoutId']);
  return payout === undefined ? unknownId : okAnswer(payoutView(payout));
};

const listPayouts = (deps: PayoutDeps, { query }: Call): Answer => {
  const read = readBody(listSchema, Object.fromEntries(query));
  if ('refused' in read) return read.refused;
  if (read.value.account_number !== deps.accountNumber) {
    return badRequest('The account number is invalid.', 'account_number');
  }
  const items = pageOf(deps.store.payouts.all(), read.value).map(payoutView);
  return okAnswer({ entity: 'collection', count: items.length, items });
};

const sparePayoutFields = ['mode', 'utr', 'status_details', 'narration', 'purpose'];

/** A row of another kind. The list is filtered only by its query, so any row may be in it. */
const oddPayout = oddRow(
  { id: 'poutlk_of_another', entity: 'payout_link' },
  { amount: 'amount', status: 'status', time: 'created_at' },
);

/** Serves payouts. It creates one for each idempotency key, reads one by its id, and lists them. */
export const payoutOperations = (deps: PayoutDeps): readonly Operation[] => {
  const payouts = '/v1/payouts';
  const isSparse = ({ params }: Call) => {
    const { store } = deps;
    const account = store.fundAccounts.get(store.payouts.get(params['payoutId'])?.fund_account_id);
    return isSparseCustomer(store.contacts.get(account?.contact_id)?.contact);
  };
  return [
    {
      name: 'create-payout',
      method: 'POST',
      path: payouts,
      handle: (call) => createPayout(deps, call),
      idempotencyKey: keyOf,
      misstate,
    },
    {
      name: 'list-payouts',
      method: 'GET',
      path: payouts,
      shape: { spare: sparePayoutFields, state: 'status', figure: 'amount' },
      oddRows: [oddPayout],
      handle: (call) => listPayouts(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-payout',
      method: 'GET',
      path: `${payouts}/:payoutId`,
      shape: { spare: sparePayoutFields, state: 'status' },
      isSparse,
      handle: (call) => getPayout(deps, call),
      misstate,
    },
  ];
};
