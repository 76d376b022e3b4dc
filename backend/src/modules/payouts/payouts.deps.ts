import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { TaskList, Sweep } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { Banking } from '../banking/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { PayoutView } from './payouts.schemas.ts';
import type { NewPayout, Payout } from './payouts.types.ts';
import type { SellSettlement } from './sell-settlement.ts';

export interface PayoutsDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly logger: Logger;
  readonly provider: PayoutProvider;
  readonly notify: Notify;
  readonly audit: Auditor;
  readonly sellSettlement: SellSettlement;
  readonly banking: Pick<
    Banking,
    'applyValidation' | 'fundAccountOf' | 'lockStanding' | 'ownerOfValidation'
  >;
}

export interface Payouts {
  /** GET /payouts, GET /payouts/:id. */
  readonly customerRoutes: Route[];
  /** POST /webhooks/payout, mounted on the customer API. */
  readonly webhookRoutes: Route[];
  /** GET /payouts, POST /payouts/:id/approve, POST /payouts/:id/retry. */
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /**
   * In the transaction that confirms a sell: the payout, PENDING, and its dispatch job when it
   * needs no approval. Answers its id. The database refuses a second one for an order.
   */
  insertPayout(db: Db, payout: NewPayout): Promise<string>;
  findPayoutOfOrder(db: Db, orderId: string): Promise<Payout | undefined>;
  presentPayout(payout: Payout): PayoutView;
}
