import type { Paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import type { PaymentMethod } from './payments.types.ts';

export interface PaymentOrderRequest {
  readonly userId: string;
  readonly orderId: string;
  readonly quoteId?: string;
  /** What `chooseGateway` answered. */
  readonly gateway: string;
  readonly amountPaise: Paise;
  readonly method?: PaymentMethod | undefined;
  /** The version of the policy that the customer accepted. */
  readonly termsVersion?: string | undefined;
  /** The end of the price lock, and of the checkout. */
  readonly expiresAt?: Date;
}

export type InsertPaymentOrder = (db: Db, request: PaymentOrderRequest) => Promise<string>;

/**
 * Writes a payment order in its order's own transaction, CREATED: the intent that is committed
 * before the gateway is called. Answers its id, which is the gateway's receipt. The database
 * refuses a second open one for an order.
 */
export const createInsertPaymentOrder =
  ({ clock, random }: { clock: Clock; random: Random }): InsertPaymentOrder =>
  async (db, request) => {
    const id = random.uuid();
    await createPaymentOrderStore(db).insert({
      id,
      userId: request.userId,
      orderId: request.orderId,
      quoteId: request.quoteId,
      gateway: request.gateway,
      amountPaise: request.amountPaise,
      method: request.method,
      termsVersion: request.termsVersion,
      expiresAt: request.expiresAt,
      createdAt: clock.now(),
    });
    return id;
  };
