import { toSafePaise } from '../../../money/index.ts';
import { isUnavailable } from '../../../platform/http-client/index.ts';
import {
  done,
  mapDone,
  refused,
  unknown,
  type Outcome,
} from '../../../platform/outcome/outcome.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import {
  ECHO_MISMATCH,
  PAYOUT_REFUSED,
  type CreatePayout,
  type PayoutProvider,
  type ProviderPayout,
} from '../port.ts';
import * as facts from './razorpayx.facts.ts';
import { createRazorpayxCalls, type RazorpayxCalls } from './create-razorpayx-calls.ts';
import { narrationOf, eventIdHeader, razorpayxRules, signatureHeaders } from './razorpayx.facts.ts';
import { payoutAnswer, payoutsAnswer } from './razorpayx.schemas.ts';
import { createRazorpayxAccounts } from './create-razorpayx-accounts.ts';
import type { RazorpayxConfig } from './razorpayx.config.ts';
import { readRazorpayxEvent } from './read-razorpayx-event.ts';

type Payouts = Pick<
  PayoutProvider,
  'createPayout' | 'getPayout' | 'findPayoutByReference' | 'listPayouts'
>;

/** Names the part of a request that the provider would refuse; undefined when it can be sent. */
const misfit = (asked: CreatePayout): string | undefined => {
  if (!facts.idempotencyKeyPattern.test(asked.idempotencyKey)) return 'idempotency key';
  if (!facts.referenceIdPattern.test(asked.referenceId)) return 'reference';
  const { minimumPaise, maximumImpsPaise } = facts.razorpayxRules;
  const isPayable = asked.amountPaise >= minimumPaise && asked.amountPaise <= maximumImpsPaise;
  return isPayable ? undefined : 'amount';
};

const isAsked = (asked: CreatePayout, made: ProviderPayout): boolean =>
  made.amountPaise === asked.amountPaise &&
  (made.fundAccountId ?? asked.fundAccountId) === asked.fundAccountId &&
  (made.referenceId ?? asked.referenceId) === asked.referenceId;

/** Creates and queries payouts from our own account, each sent under its idempotency key. */
const createRazorpayxPayouts = ({ get, post }: RazorpayxCalls, accountNumber: string): Payouts => {
  const findPayoutByReference = async (
    referenceId: string,
  ): Promise<Outcome<ProviderPayout | undefined>> => {
    const query = facts.referenceQuery(accountNumber, referenceId);
    const call = { operation: 'list-payouts', path: facts.paths.payouts, query };
    const listed = await get(call, payoutsAnswer);
    if (listed.kind !== 'done') return listed;
    const { items } = listed.value;
    const found = items.filter((payout) => payout.referenceId === referenceId);
    if (found.length === 0 && items.length > 0) return unknown('LIST_NOT_NARROWED');
    // One reference has one payout; should it ever have more, the one that moved money counts.
    return done(found.find(({ status }) => status !== 'FAILED') ?? found[0]);
  };

  const send = (asked: CreatePayout): Promise<Outcome<ProviderPayout>> =>
    post(
      {
        operation: 'create-payout',
        path: facts.paths.payouts,
        headers: { [facts.idempotencyHeader]: asked.idempotencyKey },
        // Made from the attempt alone, so that a resend has the same bytes.
        json: {
          account_number: accountNumber,
          fund_account_id: asked.fundAccountId,
          amount: toSafePaise(asked.amountPaise),
          currency: 'INR',
          mode: asked.mode,
          purpose: facts.purpose,
          queue_if_low_balance: facts.queueIfLowBalance,
          reference_id: asked.referenceId,
          narration: narrationOf(asked.narration),
        },
        // A repeat is harmless under the key, but whether and when to repeat is decided where the
        // intent is recorded, not here.
        isIdempotent: false,
      },
      payoutAnswer,
    );

  /** A refused repeat (another body under a known key, say) does not refuse the send before it. */
  const settleRefusal = async (
    asked: CreatePayout,
    message: string,
  ): Promise<Outcome<ProviderPayout>> => {
    const found = await findPayoutByReference(asked.referenceId);
    if (found.kind !== 'done') return unknown('REFUSAL_NOT_CONFIRMED');
    return found.value === undefined ? refused(PAYOUT_REFUSED, message) : done(found.value);
  };

  return {
    async createPayout(asked) {
      const wrong = misfit(asked);
      if (wrong !== undefined) return refused(PAYOUT_REFUSED, `unfit for the provider: ${wrong}`);
      const sent = await send(asked);
      const made =
        sent.kind === 'refused' && !isUnavailable(sent)
          ? await settleRefusal(asked, sent.message)
          : sent;
      if (made.kind !== 'done' || isAsked(asked, made.value)) return made;
      return unknown(ECHO_MISMATCH);
    },

    async getPayout(providerPayoutId) {
      const path = facts.paths.payout(encodeURIComponent(providerPayoutId));
      const found = await get({ operation: 'get-payout', path }, payoutAnswer);
      if (found.kind !== 'done' || found.value.providerPayoutId === providerPayoutId) return found;
      return unknown(ECHO_MISMATCH);
    },

    findPayoutByReference,

    async listPayouts(asked) {
      const query = facts.pageQuery(accountNumber, asked);
      const call = { operation: 'list-payouts', path: facts.paths.payouts, query };
      return mapDone(await get(call, payoutsAnswer), ({ items }) => ({
        payouts: items,
        hasMore: items.length === facts.pageSize,
      }));
    },
  };
};

/** RazorpayX as the payout provider; the wire's facts are in `razorpayx.facts.ts`. */
export const createRazorpayx = (
  config: RazorpayxConfig,
  deps: AdapterDeps,
): PayoutProvider & Closable => {
  const calls = createRazorpayxCalls(config, deps);
  const { RAZORPAYX_ACCOUNT_NUMBER: accountNumber, PAYOUT_WEBHOOK_SECRETS: secrets } = config;
  return {
    code: 'razorpayx',
    isTestSystem: config.RAZORPAYX_KEY_ID.startsWith('rzp_test_'),
    rules: razorpayxRules,
    ...createRazorpayxPayouts(calls, accountNumber),
    ...createRazorpayxAccounts(calls, accountNumber),

    verifyWebhook({ rawBody, headers }) {
      const isGenuine = signatureHeaders.some((name) =>
        isSigned({ message: rawBody, signature: headers[name], encoding: 'hex', secrets }),
      );
      if (!isGenuine) return { valid: false };
      return {
        valid: true,
        ...eventIdIn(headers, eventIdHeader),
        event: readRazorpayxEvent(rawBody),
      };
    },

    close: () => calls.close(),
  };
};
