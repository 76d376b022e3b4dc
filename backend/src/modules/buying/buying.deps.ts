import type { Db } from '../../platform/db/index.ts';
import type { Idempotency } from '../../platform/idempotency/index.ts';
import type {
  InsertPaymentOrder,
  PaymentMethod,
  PaymentOrder,
  PaymentOrderView,
} from '../payments/index.ts';
import type { QuoteDeps } from '../quotes/index.ts';

/** What a buy asks of payments; see payments/index.ts for each. */
export interface BuyPayments {
  chooseGateway(wish: { readonly method?: PaymentMethod | undefined }): Promise<string>;
  readonly insertPaymentOrder: InsertPaymentOrder;
  openGatewayOrder(paymentOrderId: string): Promise<PaymentOrder>;
  findPaymentOrder(db: Db, id: string): Promise<PaymentOrder | undefined>;
  presentPaymentOrder(order: PaymentOrder): PaymentOrderView;
}

/** What placing a buy asks besides. */
export interface BuyDeps extends QuoteDeps {
  readonly payments: BuyPayments;
  readonly idempotency: Idempotency;
  /** Gate 2: no blocking readiness item, and the switch on (interface, Capability gates). */
  readonly paymentGate: () => Promise<boolean>;
  /** The version of the terms in force, stored with a customer's acceptance. */
  readonly termsVersionOn: (db: Db, at: Date) => Promise<string | undefined>;
}
