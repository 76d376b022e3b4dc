import { SMALLEST_TRADED_GRAMS, formatDecimal, formatRupees } from '../../../money/index.ts';
import { isTraded, type Grams, type Paise } from '../../../money/index.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { jsonNumber } from '../../../platform/http-client/index.ts';
import { done, mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import {
  AMOUNT_MISMATCH,
  GRAMS_MISMATCH,
  PROVIDER_REFUSED,
  RATE_LAPSED,
  UNKNOWN_TRANSACTION,
} from '../port.ts';
import type { ConfirmRequest, GoldProvider, VerifiedTransaction } from '../port.ts';
import type { SafegoldCalls } from './create-safegold-calls.ts';
import { rateWithTax, rupeesFor } from './safegold.arithmetic.ts';
import * as facts from './safegold.facts.ts';
import { confirmAnswer, statusAnswer, verifyAnswer } from './safegold.schemas.ts';

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
