import type { GatewayOrder } from '../../adapters/payment-gateway/port.ts';
import type { PaymentOrder } from './payments.types.ts';

/** Whether the gateway made the order that was asked for: amount, currency and receipt. */
export const isEchoOf = (made: GatewayOrder, asked: PaymentOrder): boolean =>
  made.amountPaise === asked.amountPaise &&
  made.currency === asked.currency &&
  made.receipt === asked.id;
