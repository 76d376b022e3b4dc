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
import { UNREADABLE, jsonNumber } from '../../../platform/http-client/index.ts';
import {
  done,
  unknown,
  mapDone,
  refused,
  type Outcome,
} from '../../../platform/outcome/outcome.ts';
import {
  AMOUNT_MISMATCH,
  GRAMS_MISMATCH,
  PROVIDER_REFUSED,
  RATE_LAPSED,
  UNKNOWN_TRANSACTION,
  type GoldProvider,
  type ConfirmRequest,
  type VerifiedTransaction,
} from '../port.ts';
import * as facts from './safegold.facts.ts';
import type { SafegoldCalls } from './create-safegold-calls.ts';
import {
  buyPriceAnswer,
  sellPriceAnswer,
  spotPrice,
  confirmAnswer,
  statusAnswer,
  verifyAnswer,
} from './safegold.schemas.ts';

/*
 * SafeGold's own arithmetic (buy-verify-api): rupees round up to paise. It decides what SafeGold
 * charges and pays, never what the customer does.
 */

/** Returns the rate per gram with tax. */
const rateWithTax = (pricePaise: Paise, taxBps: Bps): Paise =>
  paise(divideCeiling(pricePaise * (WHOLE_BPS + taxBps), WHOLE_BPS));

/** Returns the rupees for a weight at a rate. */
const rupeesFor = (grams: Grams, ratePaise: Paise): Paise =>
  paise(divideCeiling(grams * ratePaise, UNITS_PER_GRAM));

/** Reads the named field of the buy price; the mean where none is named; undefined if unreadable. */
const spotOf = (
  spotField: string | undefined,
  buyAnswer: object,
  buy: Paise,
  sell: Paise,
): Paise | undefined => {
  if (spotField === undefined) return meanPrice(buy, sell);
  const field: unknown = Reflect.get(buyAnswer, spotField);
  return spotPrice.safeParse(field).data;
};

/** Fetches both rates at once; without both there is no price. */
export const createSafegoldPrice =
  ({ call }: SafegoldCalls, clock: Clock, spotField: string | undefined): GoldProvider['price'] =>
  async () => {
    const validUntil = addMs(clock.now(), facts.rateValidityMs);
    const [buying, selling] = await Promise.all([
      call({ operation: 'buy-price', path: facts.paths.buyPrice, answer: buyPriceAnswer }),
      call({ operation: 'sell-price', path: facts.paths.sellPrice, answer: sellPriceAnswer }),
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

interface Verifying {
  readonly side: Side;
  readonly providerUserId: string;
  readonly rateId: string;
  readonly grams: Grams;
  /** The amount for the grams by SafeGold's own arithmetic. */
  readonly amountPaise: Paise;
}

const idOnWire = (id: string) => (facts.isNumericId(id) ? jsonNumber(id) : id);

const gramsOnWire = (grams: Grams) =>
  jsonNumber(formatDecimal(grams / SMALLEST_TRADED_GRAMS, facts.gramDecimals));

const inPath = encodeURIComponent;

/** Creates verify, confirm and status of both directions. */
export const createSafegoldTrades = ({ call }: SafegoldCalls, clock: Clock): Trades => {
  const verify = async (asked: Verifying): Promise<Outcome<VerifiedTransaction>> => {
    const { side, grams, amountPaise } = asked;
    if (!isTraded(grams)) return refused(PROVIDER_REFUSED, 'not a whole number of 0.0001 g');
    const isBuy = side === 'buy';
    const verified = await call({
      operation: `${side}-verify`,
      path: (isBuy ? facts.paths.buyVerify : facts.paths.sellVerify)(inPath(asked.providerUserId)),
      body: {
        rate_id: idOnWire(asked.rateId),
        gold_amount: gramsOnWire(grams),
        [isBuy ? 'buy_price' : 'sell_price']: jsonNumber(formatRupees(amountPaise)),
      },
      answer: verifyAnswer,
      refusalCodes: {
        [facts.invalidRateCode[side]]: RATE_LAPSED,
        [facts.amountMismatchCode[side]]: AMOUNT_MISMATCH,
      },
    });
    if (verified.kind !== 'done') return verified;
    const answer = verified.value;
    if (answer.gold_amount !== grams) {
      return refused(GRAMS_MISMATCH, 'the verify returned other grams than requested');
    }
    const answered = (isBuy ? answer.buy_price : answer.sell_price) ?? amountPaise;
    if (answered !== amountPaise) {
      return refused(AMOUNT_MISMATCH, 'the verify returned other rupees than its rate gives');
    }
    return done({ providerTxId: answer.tx_id, grams, providerAmountPaise: amountPaise });
  };

  const confirm = async (side: Side, request: ConfirmRequest) => {
    const { providerUserId, providerTxId, pincode } = request;
    const given = { date: facts.confirmDate(clock.now()), pincode };
    const fields = facts.confirmFields[side].map((name) => [name, given[name]]);
    const confirmed = await call({
      operation: `${side}-confirm`,
      path: (side === 'buy' ? facts.paths.buyConfirm : facts.paths.sellConfirm)(
        inPath(providerUserId),
      ),
      body: { tx_id: idOnWire(providerTxId), ...Object.fromEntries(fields) },
      answer: confirmAnswer,
    });
    return mapDone(confirmed, ({ invoice_id: invoiceId }) => ({ invoiceId }));
  };

  const status = async (side: Side, providerTxId: string) => {
    const { buyStatus, sellStatus } = facts.paths;
    const answered = await call({
      operation: `${side}-status`,
      path: (side === 'buy' ? buyStatus : sellStatus)(inPath(providerTxId)),
      answer: statusAnswer,
      refusalCode: UNKNOWN_TRANSACTION,
    });
    return mapDone(answered, (answer) => answer.status);
  };

  return {
    verifyBuy: ({ rateBuyPaise, rateTaxBps, ...rest }) => {
      const amountPaise = rupeesFor(rest.grams, rateWithTax(rateBuyPaise, rateTaxBps));
      return verify({ ...rest, side: 'buy', amountPaise });
    },
    verifySell: ({ rateSellPaise, ...rest }) =>
      verify({ ...rest, side: 'sell', amountPaise: rupeesFor(rest.grams, rateSellPaise) }),
    confirmBuy: (request) => confirm('buy', request),
    confirmSell: (request) => confirm('sell', request),
    buyStatus: ({ providerTxId }) => status('buy', providerTxId),
    sellStatus: ({ providerTxId }) => status('sell', providerTxId),
  };
};
