import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Bps } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Idempotency } from '../../platform/idempotency/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type {
  InsertPaymentOrder,
  PaymentMethod,
  PaymentOrder,
  PaymentOrderView,
} from '../payments/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { Limits } from '../settings/index.ts';

/** The mechanics that everything in this module is built on. */
export interface GoldBase {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What a buy asks of payments; see payments/index.ts for each. */
export interface BuyPayments {
  chooseGateway(wish: { readonly method?: PaymentMethod | undefined }): Promise<string>;
  readonly insertPaymentOrder: InsertPaymentOrder;
  openGatewayOrder(paymentOrderId: string): Promise<PaymentOrder>;
  findPaymentOrder(db: Db, id: string): Promise<PaymentOrder | undefined>;
  presentPaymentOrder(order: PaymentOrder): PaymentOrderView;
}

/** What a quote asks of the rest of the house. */
export interface QuoteDeps extends GoldBase {
  readonly provider: GoldProvider;
  readonly price: LivePriceReader;
  readonly limits: { current(): Promise<Limits> };
  /** @throws AppError KYC_REQUIRED */
  readonly requireApprovedKyc: (db: Db, userId: string) => Promise<void>;
  readonly findUser: (
    db: Db,
    userId: string,
  ) => Promise<{ readonly providerUserId: string | null } | undefined>;
  readonly gstRateBpsOn: (db: Db, at: Date) => Promise<Bps>;
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
