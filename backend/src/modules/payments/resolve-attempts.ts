import { addMs } from '../../platform/clock/clock.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { describeError } from '../../platform/observability/index.ts';
import {
  claimAttempt,
  listUndecidedAttempts,
  updateAttemptOutcome,
  type AttemptWindow,
} from './gateway-attempts.store.ts';
import { findPaymentOrder } from './payment-orders.store.ts';
import type { PaymentsDeps } from './payments.types.ts';
import { pollGatewayOrder, recoverGatewayOrder } from './poll-gateway.ts';
import { sweepByGateway } from './sweep-by-gateway.ts';

const minuteMs = 60_000;
/** The time in ms after which a gateway that has no order for the receipt will never create one. */
const finalAfterMs = 10 * minuteMs;

const windowAt = (now: Date): AttemptWindow => ({
  now,
  startedBefore: addMs(now, -minuteMs),
  queriedBefore: addMs(now, -45_000),
  limit: 200,
});

type UndecidedAttempt = Awaited<ReturnType<typeof listUndecidedAttempts>>[number];

/** Finds out the outcome of one attempt. Returns false if the gateway gave no answer. */
const resolveAttempt = async (deps: PaymentsDeps, attempt: UndecidedAttempt): Promise<boolean> => {
  const { db, clock, logger } = deps;
  const { id, paymentOrderId, gateway, startedAt } = attempt;
  const order = await findPaymentOrder(db, paymentOrderId);
  invariant(order, `payment order ${paymentOrderId} is there`);
  const recovered = await recoverGatewayOrder(deps, order, gateway);
  if (recovered === undefined) return false;
  if (recovered === 'none') {
    const now = clock.now();
    if (startedAt > addMs(now, -finalAfterMs)) return true;
    await updateAttemptOutcome(db, id, {
      status: 'REFUSED',
      detail: 'the gateway has no order',
      at: now,
    });
    return true;
  }
  logger.warn({ paymentOrderId, gateway }, 'found a gateway order whose response was lost');
  const poll = { order, source: 'janitor' } as const;
  const result = await pollGatewayOrder(deps, poll, { gateway, ...recovered });
  return result === 'answered';
};

/**
 * Finds out the outcome of requests for gateway orders whose response was lost: queries the gateway
 * for each order by its receipt. A customer who was sent to another gateway never saw this order. If
 * it is paid nevertheless, the payment is matched to its payment order (contract:
 * payments-and-webhooks > Failover). The next pass queries gateways that do not answer again.
 */
export const resolveAttempts = (deps: PaymentsDeps, signal: AbortSignal): Promise<void> => {
  const { db, clock, logger } = deps;
  const window = windowAt(clock.now());
  return sweepByGateway({
    signal,
    limit: window.limit,
    list: (silent) => listUndecidedAttempts(db, window, silent),
    async poll(attempt) {
      if (!(await claimAttempt(db, attempt.id, window))) return 'taken';
      try {
        return (await resolveAttempt(deps, attempt)) ? 'answered' : 'silent';
      } catch (error) {
        const line = { attemptId: attempt.id, err: describeError(error) };
        logger.error(line, 'an attempt at a gateway could not be resolved');
        return 'answered';
      }
    },
  });
};
