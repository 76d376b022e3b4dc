import type { ParsedPaymentEvent } from '../../adapters/payment-gateway/port.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { createGatewayPaymentStore } from './gateway-payment.store.ts';
import type { SettlementInfo } from './order-settlement.ts';
import type { PaymentFact } from './payments.types.ts';

/** The payment that an event speaks of; undefined where it says nothing of one. */
export const factOf = (
  event: ParsedPaymentEvent,
  gateway: string,
  learnedAt: Date,
): PaymentFact | undefined => {
  const { kind, name: _, ...payment } = event;
  return kind === 'other' ? undefined : { ...payment, kind, gateway, learnedAt };
};

/** Why an order moves: `cause` is the gateway's name of the event, or how else we learned of it. */
export const infoOf = (cause: string, gateway: string, requestId?: string): SettlementInfo => ({
  cause,
  actor: `gateway:${gateway}`,
  ...(requestId !== undefined && { requestId }),
});

/** Keeps a payment of an order that nobody knows: its money is somewhere, and must show. */
export const recordUnmatched = async (db: Db, random: Random, fact: PaymentFact): Promise<void> => {
  await createGatewayPaymentStore(db).record(fact, {
    id: random.uuid(),
    paymentOrderId: undefined,
    standing: fact.kind === 'captured' ? 'UNMATCHED' : 'NONE',
  });
};
