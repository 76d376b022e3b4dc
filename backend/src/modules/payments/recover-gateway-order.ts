import { isUniqueViolation } from '../../platform/db/index.ts';
import type { PaymentOrder, PaymentsDeps } from './payments.types.ts';
import { isEchoOf, storeMadeOrder } from './try-gateway.ts';

type RecoverDeps = Pick<PaymentsDeps, 'inTransaction' | 'clock' | 'logger' | 'gateways'>;

/**
 * Recovers the order that a gateway made for a payment order which never learned its id: its
 * process died in between, or the answer was lost. Returns the id; 'none' when the gateway has none
 * that is ours, undefined when it gives no answer.
 */
export const recoverGatewayOrder = async (
  deps: RecoverDeps,
  order: PaymentOrder,
  code: string,
): Promise<{ readonly gatewayOrderId: string } | 'none' | undefined> => {
  const found = await deps.gateways.get(code)?.findOrderByReceipt(order.id);
  if (found?.kind !== 'done') return undefined;
  if (found.value === undefined) return 'none';
  if (order.status === 'CREATED' && !isEchoOf(found.value, order)) {
    const line = { paymentOrderId: order.id, gateway: code };
    deps.logger.error(line, 'the gateway has another order of this receipt');
    return 'none';
  }
  const { gatewayOrderId } = found.value;
  try {
    await storeMadeOrder(deps, { paymentOrderId: order.id, gateway: code }, found.value);
    return { gatewayOrderId };
  } catch (error) {
    if (isUniqueViolation(error)) return 'none';
    throw error;
  }
};
