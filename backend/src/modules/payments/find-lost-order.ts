import type { Clock } from '../../platform/clock/clock.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import { createGatewayOpeningStore } from './gateway-opening.store.ts';
import { isEchoOf } from './is-echo-of.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import type { PaymentOrder } from './payments.types.ts';

interface FindLostOrderDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gateways: GatewaysByCode;
}

/**
 * The gateway's order of a payment order that was never told its id: its process died in between,
 * or the answer was lost. 'none': the gateway has none that is ours; undefined: no answer.
 */
export const createFindLostOrder =
  ({ db, clock, logger, gateways }: FindLostOrderDeps) =>
  async (order: PaymentOrder): Promise<PaymentOrder | 'none' | undefined> => {
    const found = await gateways.get(order.gateway)?.findOrderByReceipt(order.id);
    if (found?.kind !== 'done') return undefined;
    if (found.value === undefined) return 'none';
    if (order.status === 'CREATED' && !isEchoOf(found.value, order)) {
      logger.error({ paymentOrderId: order.id }, 'the gateway has another order of this receipt');
      return 'none';
    }
    try {
      const openings = createGatewayOpeningStore(db);
      const { gatewayOrderId } = found.value;
      const stored = await openings.storeGatewayOrder(order.id, gatewayOrderId, clock.now());
      return stored ?? (await createPaymentOrderStore(db).find(order.id));
    } catch (error) {
      if (isUniqueViolation(error)) return 'none';
      throw error;
    }
  };
