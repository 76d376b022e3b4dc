import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpRequest,
  type HttpResponse,
  isUnavailable,
  UNREADABLE,
} from '../../../platform/http-client/index.ts';
import {
  refused,
  type Outcome,
  done,
  unknown,
  mapDone,
} from '../../../platform/outcome/outcome.ts';
import { toSafePaise } from '../../../money/index.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { ANSWER_ABOUT_ANOTHER, checkAnswer } from '../../check-answer.ts';
import { basicAuthorization, inPath, withoutNumbers } from '../../http-texts.ts';
import { razorpayErrorAnswer } from '../../razorpay-error.ts';
import { createRowReader, type RowReader } from '../../read-rows.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import {
  PAYOUT_NOT_FOUND,
  PAYOUT_REFUSED,
  type BankDetails,
  type Payee,
  type PayoutProvider,
  type CreatePayout,
  type ProviderPayout,
} from '../port.ts';
import type { RazorpayxConfig } from './razorpayx.config.ts';
import { readRazorpayxEvent } from './read-razorpayx-event.ts';
import * as wire from './razorpayx.wire.ts';

type Call = Pick<HttpRequest, 'operation' | 'path' | 'query' | 'headers'>;

interface Post extends Call {
  readonly json: object;
  /** True if the HTTP client may repeat it by itself. */
  readonly isIdempotent: boolean;
}

/** The calls to RazorpayX, which authorise requests and read responses. */
interface RazorpayxCalls extends Closable {
  readonly get: <T>(call: Call, answer: z.ZodType<T>) => Promise<Outcome<T>>;
  readonly post: <T>(call: Post, answer: z.ZodType<T>) => Promise<Outcome<T>>;
  readonly readRows: RowReader;
}

/** Reads the provider's refusal. Its text is only for our logs, since it may quote the request. */
const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = razorpayErrorAnswer.safeParse(json);
  if (!wire.refusalStatuses.has(status) || !error.success) return undefined;
  const { code, description } = error.data.error;
  const message = `${code}: ${withoutNumbers(description).slice(0, 200)}`;
  return refused(
    wire.saysNotFound(status, description) ? PAYOUT_NOT_FOUND : PAYOUT_REFUSED,
    message,
  );
};

const createRazorpayxCalls = (config: RazorpayxConfig, deps: AdapterDeps): RazorpayxCalls => {
  const client = createHttpClient({
    ...deps,
    name: 'razorpayx',
    baseUrl: config.RAZORPAYX_BASE_URL,
    timeoutMs: config.RAZORPAYX_TIMEOUT_MS,
    headers: {
      authorization: basicAuthorization(config.RAZORPAYX_KEY_ID, config.RAZORPAYX_KEY_SECRET),
    },
  });

  const send = async <T>(request: HttpRequest, answer: z.ZodType<T>): Promise<Outcome<T>> => {
    const sent = await client.request(request);
    return sent.kind === 'done' ? readAnswer(sent.value, answer, readRefusal) : sent;
  };

  return {
    get: (call, answer) => send({ ...call, method: 'GET', safe: true }, answer),
    post: ({ isIdempotent, ...call }, answer) =>
      send({ ...call, method: 'POST', safe: isIdempotent }, answer),
    readRows: createRowReader('razorpayx', deps),
    close: () => client.close(),
  };
};

type Accounts = Pick<PayoutProvider, 'ensureFundAccount' | 'startValidation' | 'getValidation'>;

const contactOf = ({ reference, name, phone, email }: Payee) => ({
  name: wire.nameOf(name, wire.contactNameLength),
  ...(email === undefined ? {} : { email }),
  ...(phone === undefined ? {} : { contact: wire.contactNumber(phone) }),
  type: wire.contactType,
  reference_id: reference,
});

const bankAccountOf = ({ holderName, ifsc, accountNumber }: BankDetails) => ({
  name: wire.nameOf(holderName, wire.holderNameLength),
  ifsc,
  account_number: accountNumber,
});

const ensureContact = async ({ post }: RazorpayxCalls, payee: Payee) =>
  checkAnswer(
    await post(
      {
        operation: 'create-contact',
        path: wire.paths.contacts,
        json: contactOf(payee),
        isIdempotent: true,
      },
      wire.contactAnswer,
    ),
    ({ reference_id: reference }) => (reference ?? payee.reference) === payee.reference,
  );

/** Creates the calls that create fund accounts, and validate bank accounts by penny-drop. */
const createRazorpayxAccounts = (calls: RazorpayxCalls, accountNumber: string): Accounts => ({
  // contacts/create, fund-accounts/create: the same details return the existing contact or account.
  async ensureFundAccount({ payee, bank }) {
    const contact = await ensureContact(calls, payee);
    if (contact.kind !== 'done') return contact;
    const { id: contactId } = contact.value;
    const account = await calls.post(
      {
        operation: 'create-fund-account',
        path: wire.paths.fundAccounts,
        json: {
          contact_id: contactId,
          account_type: 'bank_account',
          bank_account: bankAccountOf(bank),
        },
        isIdempotent: true,
      },
      wire.fundAccountAnswer,
    );
    if (account.kind !== 'done') return account;
    const { id: fundAccountId, contact_id: ownerId, bank_account: created } = account.value;
    // Every payout to the customer will go to the fund account, so it must be of this bank account.
    const isRequested =
      (ownerId ?? contactId) === contactId &&
      !wire.isOtherAccount(created?.account_number ?? bank.accountNumber, bank.accountNumber);
    return isRequested ? done({ contactId, fundAccountId }) : unknown(ANSWER_ABOUT_ANOTHER);
  },

  // composite-account-validation/bank-account. A validation is a transfer, so the client must not
  // repeat it.
  async startValidation({ bankAccountId, payee, bank }) {
    const started = await calls.post(
      {
        operation: 'validate-account',
        path: wire.paths.validations,
        json: {
          source_account_number: accountNumber,
          validation_type: wire.validationType,
          reference_id: bankAccountId,
          notes: {},
          fund_account: {
            account_type: 'bank_account',
            bank_account: bankAccountOf(bank),
            contact: contactOf(payee),
          },
        },
        isIdempotent: false,
      },
      wire.validationAnswer,
    );
    return checkAnswer(started, ({ referenceId = bankAccountId }) => referenceId === bankAccountId);
  },

  async getValidation(validationId) {
    const path = wire.paths.validation(inPath(validationId));
    return checkAnswer(
      await calls.get({ operation: 'get-validation', path }, wire.validationAnswer),
      (found) => found.validationId === validationId,
    );
  },
});

type Payouts = Pick<
  PayoutProvider,
  'createPayout' | 'getPayout' | 'findPayoutByReference' | 'listPayouts'
>;

/** Returns the name of a value that the provider would refuse, or undefined if there is none. */
const findMisfit = (request: CreatePayout): string | undefined => {
  if (!wire.idempotencyKeyPattern.test(request.idempotencyKey)) return 'idempotency key';
  if (!wire.referenceIdPattern.test(request.referenceId)) return 'reference';
  const { minimumPaise, maximumImpsPaise } = wire.razorpayxRules;
  const isPayable = request.amountPaise >= minimumPaise && request.amountPaise <= maximumImpsPaise;
  return isPayable ? undefined : 'amount';
};

const matchesRequest = (request: CreatePayout, payout: ProviderPayout): boolean =>
  payout.amountPaise === request.amountPaise &&
  (payout.fundAccountId ?? request.fundAccountId) === request.fundAccountId &&
  (payout.referenceId ?? request.referenceId) === request.referenceId;

const findPayoutByReference = async (
  { get, readRows }: RazorpayxCalls,
  accountNumber: string,
  referenceId: string,
): Promise<Outcome<ProviderPayout | undefined>> => {
  const query = wire.referenceQuery(accountNumber, referenceId);
  const call = { operation: 'list-payouts', path: wire.paths.payouts, query };
  const listed = await get(call, wire.listAnswer);
  if (listed.kind !== 'done') return listed;
  const {
    rows: found,
    unread,
    isForeign,
  } = readRows('list-payouts', listed.value, wire.payoutRowsOf(referenceId));
  if (found.length === 0 && (isForeign || unread > 0)) {
    return unknown(isForeign ? 'LIST_NOT_NARROWED' : UNREADABLE);
  }
  // One reference has one payout. If it ever has more, a payout that did not fail counts.
  return done(found.find(({ status }) => status !== 'FAILED') ?? found[0]);
};

const postPayout = (
  { post }: RazorpayxCalls,
  accountNumber: string,
  request: CreatePayout,
): Promise<Outcome<ProviderPayout>> =>
  post(
    {
      operation: 'create-payout',
      path: wire.paths.payouts,
      headers: { [wire.idempotencyHeader]: request.idempotencyKey },
      // The body depends only on the attempt, so that a resend has the same bytes.
      json: {
        account_number: accountNumber,
        fund_account_id: request.fundAccountId,
        amount: toSafePaise(request.amountPaise),
        currency: 'INR',
        mode: request.mode,
        purpose: wire.purpose,
        queue_if_low_balance: wire.queueIfLowBalance,
        reference_id: request.referenceId,
        narration: wire.narrationOf(request.narration),
      },
      // Only the caller, which has recorded its intent, decides about a repeat.
      isIdempotent: false,
    },
    wire.payoutAnswer,
  );

/**
 * Sends a payout. The refusal of a repeat shows nothing about an earlier send. A refusal therefore
 * counts only if no payout has the reference.
 */
const sendPayout = async (
  calls: RazorpayxCalls,
  accountNumber: string,
  request: CreatePayout,
): Promise<Outcome<ProviderPayout>> => {
  const sent = await postPayout(calls, accountNumber, request);
  if (sent.kind !== 'refused' || isUnavailable(sent)) return sent;
  const found = await findPayoutByReference(calls, accountNumber, request.referenceId);
  if (found.kind !== 'done') return unknown('REFUSAL_NOT_CONFIRMED');
  return found.value === undefined ? refused(PAYOUT_REFUSED, sent.message) : done(found.value);
};

/** Creates the calls that send and query payouts of our own account. */
const createRazorpayxPayouts = (calls: RazorpayxCalls, accountNumber: string): Payouts => ({
  async createPayout(request) {
    const misfit = findMisfit(request);
    if (misfit !== undefined) return refused(PAYOUT_REFUSED, `unfit for the provider: ${misfit}`);
    const sent = await sendPayout(calls, accountNumber, request);
    // A response that differs is unknown. The payout is then queried by its reference, and if it
    // still differs, an operator resolves it.
    return checkAnswer(sent, (payout) => matchesRequest(request, payout));
  },

  async getPayout(providerPayoutId) {
    const path = wire.paths.payout(inPath(providerPayoutId));
    return checkAnswer(
      await calls.get({ operation: 'get-payout', path }, wire.payoutAnswer),
      (found) => found.providerPayoutId === providerPayoutId,
    );
  },

  findPayoutByReference: (referenceId) => findPayoutByReference(calls, accountNumber, referenceId),

  async listPayouts(request) {
    const query = wire.pageQuery(accountNumber, request);
    const call = { operation: 'list-payouts', path: wire.paths.payouts, query };
    return mapDone(await calls.get(call, wire.listAnswer), (items) => {
      const { rows, unread } = calls.readRows('list-payouts', items, wire.payoutRows);
      return { payouts: rows, unreadable: unread, hasMore: items.length === wire.pageSize };
    });
  },
});

/** Creates RazorpayX as the payout provider. Assumptions about its API are in `razorpayx.wire.ts`. */
export const createRazorpayx = (
  config: RazorpayxConfig,
  deps: AdapterDeps,
): PayoutProvider & Closable => {
  const calls = createRazorpayxCalls(config, deps);
  const { RAZORPAYX_ACCOUNT_NUMBER: accountNumber, PAYOUT_WEBHOOK_SECRETS: secrets } = config;
  return {
    code: 'razorpayx',
    isTestSystem: config.RAZORPAYX_KEY_ID.startsWith('rzp_test_'),
    rules: wire.razorpayxRules,
    ...createRazorpayxPayouts(calls, accountNumber),
    ...createRazorpayxAccounts(calls, accountNumber),

    verifyWebhook({ rawBody, headers }) {
      const isGenuine = wire.signatureHeaders.some((name) =>
        isSigned({ message: rawBody, signature: headers[name], encoding: 'hex', secrets }),
      );
      if (!isGenuine) return { valid: false };
      return {
        valid: true,
        ...eventIdIn(headers, wire.eventIdHeader),
        event: readRazorpayxEvent(rawBody),
      };
    },

    close: () => calls.close(),
  };
};
