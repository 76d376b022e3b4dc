import {
  UNKNOWN_TRANSACTION,
  type ConfirmedTransaction,
  type GoldProvider,
  type ProviderTransactionStatus,
} from '../../adapters/gold-provider/port.ts';
import type { CallResult, Found } from '../../platform/collaborator-call/index.ts';
import { readAlone, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { describeOutcome, type Outcome } from '../../platform/outcome/outcome.ts';
import { readProviderUserId } from '../identity/index.ts';
import type { PriceLockedBuy, VerifiedSale } from '../orders/index.ts';
import { renewConfirm } from './provider-operations.store.ts';

/** A confirm whose intent is recorded and whose lease the caller holds. */
export interface HeldConfirm<Order extends PriceLockedBuy | VerifiedSale> {
  readonly order: Order;
  readonly confirmId: string;
  readonly holderId: string;
  /** The provider's id of the customer. Absent if it was not read together with the intent. */
  readonly providerUserId?: string | null;
}

/** One turn at a confirm at the provider. */
interface ConfirmCall {
  readonly providerTxId: string;
  /** The confirm whose lease this process holds. Absent if the provider may only be queried. */
  readonly held?: HeldConfirm<PriceLockedBuy | VerifiedSale>;
}

/**
 * Reads an order status as the provider's record of a confirm. NONE means that no confirm has
 * arrived, though one may still be on its way.
 */
export const readStatus = (
  status: Outcome<ProviderTransactionStatus>,
): Found<ConfirmedTransaction> => {
  const reason = describeOutcome(status);
  if (status.kind === 'refused' && status.code === UNKNOWN_TRANSACTION) {
    return { kind: 'NONE', reason };
  }
  if (status.kind !== 'done') return { kind: 'UNKNOWN', reason };
  switch (status.value) {
    case 'SUCCESS':
      return { kind: 'DONE', value: {} };
    case 'FAILED':
      return { kind: 'REFUSED', code: status.value, reason };
    case 'NOT_CONFIRMED':
      return { kind: 'NONE', reason };
    case 'IN_PROGRESS':
      return { kind: 'UNKNOWN', reason };
    default:
      return status.value satisfies never;
  }
};

/** Describes the result of a turn at a confirm, as the reason that is stored with the operation. */
export const describeConfirm = (result: CallResult<ConfirmedTransaction>): string => {
  const { answer } = result;
  if (result.kind === 'DONE') return 'status SUCCESS';
  if (result.found === undefined) return result.reason;
  const status = `status ${result.found.reason}`;
  return answer === undefined ? status : `confirm ${describeOutcome(answer)}, ${status}`;
};

/**
 * Creates the steps that the confirms of purchases and sales share. Only the provider's order status
 * decides the outcome. It is queried after every confirm and before a repeat.
 */
export const createConfirmSteps = (
  { db, provider }: { readonly db: Db; readonly provider: GoldProvider },
  side: 'buy' | 'sell',
) => ({
  queriesAfter: 'EVERY' as const,
  async query({ providerTxId }: ConfirmCall) {
    const transaction = { providerTxId };
    return readStatus(
      side === 'buy'
        ? await provider.buyStatus(transaction)
        : await provider.sellStatus(transaction),
    );
  },
  async renew({ held }: ConfirmCall) {
    return held !== undefined && renewConfirm(db, held.confirmId, held.holderId);
  },
  async send({ held }: ConfirmCall) {
    invariant(held, 'a confirm is sent by its holder');
    const { order } = held;
    const { userId, quoteId, providerTxId, grams, providerAmountPaise, providerRateId } = order;
    const providerUserId = held.providerUserId ?? (await readAlone(db, readProviderUserId(userId)));
    invariant(providerUserId, `the provider knows the customer of order ${order.id}`);
    invariant(providerAmountPaise, `order ${order.id} has the provider's amount`);
    const request = {
      providerUserId,
      providerTxId,
      grams,
      providerAmountPaise,
      // The verify had the same reference, for providers without transaction ids of their own.
      reference: side === 'buy' ? (quoteId ?? order.id) : order.id,
      rateId: providerRateId ?? '',
    };
    return side === 'buy' ? provider.confirmBuy(request) : provider.confirmSell(request);
  },
});
