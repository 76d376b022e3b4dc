import { z } from 'zod';
import {
  createHttpClient,
  parseLosslessJson,
  printLosslessJson,
  readAnswer,
  type HttpResponse,
  UNREADABLE,
  jsonNumber,
} from '../../../platform/http-client/index.ts';
import {
  refused,
  unknown,
  type Outcome,
  done,
  mapDone,
} from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { ANSWER_ABOUT_ANOTHER, checkAnswer } from '../../check-answer.ts';
import { inPath } from '../../http-texts.ts';
import { createRowReader } from '../../read-rows.ts';
import {
  PROVIDER_REFUSED,
  AMOUNT_MISMATCH,
  GRAMS_MISMATCH,
  RATE_LAPSED,
  UNKNOWN_TRANSACTION,
  type GoldProvider,
  type ConfirmRequest,
  type VerifiedTransaction,
  type ProviderUser,
  type ProviderTransaction,
} from '../port.ts';
import type { SafegoldConfig } from './safegold.config.ts';
import { createBodyCipher } from './safegold.encryption.ts';
import {
  UNITS_PER_GRAM,
  WHOLE_BPS,
  divideCeiling,
  paise,
  meanPrice,
  SMALLEST_TRADED_GRAMS,
  formatDecimal,
  formatRupees,
  isTraded,
  type Bps,
  type Grams,
  type Paise,
} from '../../../money/index.ts';
import { addMs, type Clock } from '../../../platform/clock/clock.ts';
import * as wire from './safegold.wire.ts';

interface SafegoldCall<T> {
  readonly operation: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Makes the call a POST. */
  readonly body?: object;
  readonly answer: z.ZodType<T>;
  /** True for a call that may be repeated. Reads always may. */
  readonly isIdempotent?: boolean;
  /** The code of a refusal that has its own meaning at this endpoint. */
  readonly refusalCode?: string;
  /** The codes of single refusals, by SafeGold's own code at this endpoint. */
  readonly refusalCodes?: Readonly<Record<string, string>>;
}

/** The calls to SafeGold, which authorise, encrypt if configured, and read the responses. */
interface SafegoldCalls extends Closable {
  readonly call: <T>(call: SafegoldCall<T>) => Promise<Outcome<T>>;
}

/** Reads a refusal, which is a 4xx with SafeGold's error body. Its text is only for our logs. */
const readRefusal = (
  response: HttpResponse,
  { refusalCode, refusalCodes }: Pick<SafegoldCall<unknown>, 'refusalCode' | 'refusalCodes'>,
): Outcome<never> | undefined => {
  const error = wire.errorAnswer.safeParse(response.json);
  if (response.status < 400 || !error.success) return undefined;
  const { code: safegoldCode, message } = error.data;
  const code = refusalCodes?.[safegoldCode] ?? refusalCode ?? PROVIDER_REFUSED;
  return refused(code, `${safegoldCode}: ${message.slice(0, 200)}`);
};

const createSafegoldCalls = (config: SafegoldConfig, deps: AdapterDeps): SafegoldCalls => {
  const { SAFEGOLD_TOKEN: token } = config;
  const cipher = config.SAFEGOLD_BODY_ENCRYPTION === 'on' ? createBodyCipher(token) : undefined;
  const client = createHttpClient({
    ...deps,
    name: 'safegold',
    baseUrl: config.SAFEGOLD_BASE_URL,
    timeoutMs: config.SAFEGOLD_TIMEOUT_MS,
    // apis-overview-authorization
    headers: { authorization: `Bearer ${token}` },
  });

  const bodyOf = (body: object | undefined) => {
    if (body === undefined) return {};
    if (cipher === undefined) return { json: body };
    const bytes = cipher.seal(printLosslessJson(body));
    return { body: { bytes, contentType: wire.bodyEncryption.contentType } };
  };

  const decrypt = (response: HttpResponse): HttpResponse => {
    if (cipher === undefined) return response;
    const text = cipher.open(response.text) ?? '';
    return { ...response, text, json: parseLosslessJson(text) };
  };

  return {
    async call({ operation, path, query = {}, body, answer, isIdempotent, ...refusals }) {
      const sent = await client.request({
        operation,
        method: body === undefined ? 'GET' : 'POST',
        path,
        query,
        ...bodyOf(body),
        safe: isIdempotent ?? body === undefined,
      });
      if (sent.kind !== 'done') return sent;
      const response = decrypt(sent.value);
      // status-check-on-safegold-system: a failed confirm is a 200 without a body.
      if (response.status === 200 && response.text.trim() === '') return unknown('BLANK_ANSWER');
      return readAnswer(response, answer, (answered) => readRefusal(answered, refusals));
    },
    close: () => client.close(),
  };
};

/*
 * SafeGold's own arithmetic (buy-verify-api). Rupees are rounded up to paise. It decides the amounts
 * that SafeGold charges and pays, and never the customer's amounts.
 */

/** Returns the rate per gram with tax. */
const rateWithTax = (pricePaise: Paise, taxBps: Bps): Paise =>
  paise(divideCeiling(pricePaise * (WHOLE_BPS + taxBps), WHOLE_BPS));

const rupeesFor = (grams: Grams, ratePaise: Paise): Paise =>
  paise(divideCeiling(grams * ratePaise, UNITS_PER_GRAM));

/**
 * Returns the spot price from the named field of the buy price, or the mean of both prices without a
 * name. Returns undefined if the field can't be read.
 */
const spotOf = (
  spotField: string | undefined,
  buyAnswer: object,
  buy: Paise,
  sell: Paise,
): Paise | undefined => {
  if (spotField === undefined) return meanPrice(buy, sell);
  const field: unknown = Reflect.get(buyAnswer, spotField);
  return wire.spotPrice.safeParse(field).data;
};

/** Fetches both rates at once. Without both there is no price. */
const createSafegoldPrice =
  ({ call }: SafegoldCalls, clock: Clock, spotField: string | undefined): GoldProvider['price'] =>
  async () => {
    const validUntil = addMs(clock.now(), wire.rateValidityMs);
    const [buying, selling] = await Promise.all([
      call({ operation: 'buy-price', path: wire.paths.buyPrice, answer: wire.buyPriceAnswer }),
      call({ operation: 'sell-price', path: wire.paths.sellPrice, answer: wire.sellPriceAnswer }),
    ]);
    if (buying.kind !== 'done') return buying;
    if (selling.kind !== 'done') return selling;
    const { value: buy } = buying;
    const { value: sell } = selling;
    const spotPaise = spotOf(spotField, buy, buy.current_price, sell.current_price);
    if (spotPaise === undefined) return unknown(UNREADABLE);
    return done({
      buyPaise: buy.current_price,
      sellPaise: sell.current_price,
      spotPaise,
      buyTaxBps: buy.applicable_tax,
      buyRateId: buy.rate_id,
      sellRateId: sell.rate_id,
      validUntil,
    });
  };

type Side = 'buy' | 'sell';

type Trades = Pick<
  GoldProvider,
  'verifyBuy' | 'confirmBuy' | 'buyStatus' | 'verifySell' | 'confirmSell' | 'sellStatus'
>;

interface TradeRequest {
  readonly side: Side;
  readonly providerUserId: string;
  readonly rateId: string;
  readonly grams: Grams;
  /** The amount for the grams by SafeGold's own arithmetic. */
  readonly amountPaise: Paise;
}

const toWireId = (id: string) => (wire.isNumericId(id) ? jsonNumber(id) : id);

const toWireGrams = (grams: Grams) =>
  jsonNumber(formatDecimal(grams / SMALLEST_TRADED_GRAMS, wire.gramDecimals));

/** Verifies a trade with SafeGold, and checks that the response matches the request. */
const verifyTrade = async (
  { call }: SafegoldCalls,
  request: TradeRequest,
): Promise<Outcome<VerifiedTransaction>> => {
  const { side, grams, amountPaise } = request;
  if (!isTraded(grams)) return refused(PROVIDER_REFUSED, 'not a whole number of 0.0001 g');
  const isBuy = side === 'buy';
  const verified = await call({
    operation: `${side}-verify`,
    path: (isBuy ? wire.paths.buyVerify : wire.paths.sellVerify)(inPath(request.providerUserId)),
    body: {
      rate_id: toWireId(request.rateId),
      gold_amount: toWireGrams(grams),
      [isBuy ? 'buy_price' : 'sell_price']: jsonNumber(formatRupees(amountPaise)),
    },
    answer: wire.verifyAnswer,
    refusalCodes: {
      [wire.invalidRateCode[side]]: RATE_LAPSED,
      [wire.amountMismatchCode[side]]: AMOUNT_MISMATCH,
    },
  });
  if (verified.kind !== 'done') return verified;
  const answer = verified.value;
  const matchesRequest =
    (answer.user_id ?? request.providerUserId) === request.providerUserId &&
    (answer.rate_id ?? request.rateId) === request.rateId;
  // A transaction of another customer must have no effect.
  if (!matchesRequest) return unknown(ANSWER_ABOUT_ANOTHER);
  if (answer.gold_amount !== grams) {
    return refused(GRAMS_MISMATCH, 'the verify returned other grams than requested');
  }
  const verifiedPaise = (isBuy ? answer.buy_price : answer.sell_price) ?? amountPaise;
  if (verifiedPaise !== amountPaise) {
    return refused(AMOUNT_MISMATCH, 'the verify returned other rupees than its rate gives');
  }
  return done({ providerTxId: answer.tx_id, grams, providerAmountPaise: amountPaise });
};

const confirmTrade = async (
  { call }: SafegoldCalls,
  clock: Clock,
  side: Side,
  request: ConfirmRequest,
) => {
  const { providerUserId, providerTxId, pincode } = request;
  const values = { date: wire.confirmDate(clock.now()), pincode };
  const fields = wire.confirmFields[side].map((name) => [name, values[name]]);
  const confirmed = await call({
    operation: `${side}-confirm`,
    path: (side === 'buy' ? wire.paths.buyConfirm : wire.paths.sellConfirm)(inPath(providerUserId)),
    body: { tx_id: toWireId(providerTxId), ...Object.fromEntries(fields) },
    answer: wire.confirmAnswer,
  });
  return mapDone(confirmed, ({ invoice_id: invoiceId }) =>
    typeof invoiceId === 'string' ? { invoiceId } : {},
  );
};

const readTradeStatus = async ({ call }: SafegoldCalls, side: Side, providerTxId: string) => {
  const { buyStatus, sellStatus } = wire.paths;
  const answered = await call({
    operation: `${side}-status`,
    path: (side === 'buy' ? buyStatus : sellStatus)(inPath(providerTxId)),
    answer: wire.statusAnswer,
    refusalCodes: { [wire.invalidTransactionCode]: UNKNOWN_TRANSACTION },
  });
  return mapDone(answered, (answer) => answer.status);
};

/** Creates the calls that verify, confirm and query buys and sales. */
const createSafegoldTrades = (calls: SafegoldCalls, clock: Clock): Trades => ({
  verifyBuy: ({ rateBuyPaise, rateTaxBps, ...rest }) => {
    const amountPaise = rupeesFor(rest.grams, rateWithTax(rateBuyPaise, rateTaxBps));
    return verifyTrade(calls, { ...rest, side: 'buy', amountPaise });
  },
  verifySell: ({ rateSellPaise, ...rest }) =>
    verifyTrade(calls, {
      ...rest,
      side: 'sell',
      amountPaise: rupeesFor(rest.grams, rateSellPaise),
    }),
  confirmBuy: (request) => confirmTrade(calls, clock, 'buy', request),
  confirmSell: (request) => confirmTrade(calls, clock, 'sell', request),
  buyStatus: ({ providerTxId }) => readTradeStatus(calls, 'buy', providerTxId),
  sellStatus: ({ providerTxId }) => readTradeStatus(calls, 'sell', providerTxId),
});

const toUser = (answer: z.output<typeof wire.userAnswer>): ProviderUser => ({
  providerUserId: answer.id,
  goldBalanceGrams: answer.gold_balance,
});

type Users = Pick<GoldProvider, 'register' | 'updateKyc' | 'getUser'>;

/** Creates the calls that register, update and read SafeGold's users. */
const createSafegoldUsers = ({ call }: SafegoldCalls): Users => ({
  async register({ phone, name, pincode, email }) {
    const answered = await call({
      operation: 'register',
      path: wire.paths.users,
      body: { name, mobile_no: wire.mobileNumber(phone), pin_code: pincode, email },
      answer: wire.userAnswer,
      // registration-api: idempotent on `mobile_no`.
      isIdempotent: true,
    });
    // Another customer's user would get this customer's gold.
    const registered = checkAnswer(
      answered,
      ({ mobile_no: mobile }) => !wire.isOtherMobile(mobile ?? '', phone),
    );
    return mapDone(registered, toUser);
  },

  async updateKyc({ providerUserId, pan, identityNumber }) {
    const answered = await call({
      operation: 'register',
      path: wire.paths.kycUpdate(inPath(providerUserId)),
      body: { kyc_requirement: { pan_no: pan, identity_no: identityNumber } },
      answer: z.looseObject({}),
      isIdempotent: true,
    });
    return mapDone(answered, () => undefined);
  },

  async getUser(providerUserId) {
    const path = wire.paths.user(inPath(providerUserId));
    const found = checkAnswer(
      await call({ operation: 'get-user', path, answer: wire.userAnswer }),
      ({ id }) => id === providerUserId,
    );
    return mapDone(found, toUser);
  },
});

const kindByType: ReadonlyMap<string, ProviderTransaction['kind']> = new Map([
  ['buy', 'BUY'],
  ['sell', 'SELL'],
]);

const toTransaction = (row: wire.TransactionRow): ProviderTransaction => {
  const amountPaise = row.buy_price ?? row.sell_price;
  return {
    providerTxId: row.tx_id,
    kind: kindByType.get((row.type ?? '').toLowerCase()) ?? 'OTHER',
    ...(typeof row.gold_amount === 'bigint' && { grams: row.gold_amount }),
    ...(typeof amountPaise === 'bigint' && { amountPaise }),
  };
};

/** Creates SafeGold as the gold provider. Assumptions about its API are in `safegold.wire.ts`. */
export const createSafegold = (
  config: SafegoldConfig,
  deps: AdapterDeps,
): GoldProvider & Closable => {
  const calls = createSafegoldCalls(config, deps);
  const readRows = createRowReader('safegold', deps);
  const invoice = wire.invoiceAnswer(config.SAFEGOLD_BASE_URL);
  return {
    code: 'safegold',
    isTestSystem: new URL(config.SAFEGOLD_BASE_URL).hostname === 'partners-staging.safegold.com',
    rules: wire.safegoldRules,
    price: createSafegoldPrice(calls, deps.clock, config.SAFEGOLD_SPOT_FIELD),
    ...createSafegoldUsers(calls),
    ...createSafegoldTrades(calls, deps.clock),

    async invoiceLink({ providerTxId }) {
      const answered = await calls.call({
        operation: 'invoice',
        path: wire.paths.invoice(inPath(providerTxId)),
        answer: invoice,
        refusalCode: UNKNOWN_TRANSACTION,
      });
      return mapDone(answered, ({ link }) => link);
    },

    async listTransactions(providerUserId, page) {
      const answered = await calls.call({
        operation: 'transactions',
        path: wire.paths.transactions(inPath(providerUserId)),
        query: { page: String(page) },
        answer: wire.transactionsAnswer,
      });
      if (answered.kind !== 'done') return answered;
      const { transactions, meta } = answered.value;
      const read = readRows('transactions', transactions, wire.transactionRows(providerUserId));
      if (read.isForeign) return unknown(ANSWER_ABOUT_ANOTHER);
      return done({
        transactions: read.rows.map(toTransaction),
        unreadable: read.unread,
        hasMore: meta?.next !== undefined && meta.next !== null && meta.next !== '',
      });
    },

    close: () => calls.close(),
  };
};
