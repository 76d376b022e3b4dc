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
import { pollMadeOrder, recoverGatewayOrder } from './poll-gateway.ts';
import { sweepByGateway } from './sweep-by-gateway.ts';

const minuteMs = 60_000;
/** The time in ms after which a gateway without an order for the receipt will never create it. */
const finalAfterMs = 10 * minuteMs;

const windowAt = (now: Date): AttemptWindow => ({
  now,
  startedBefore: addMs(now, -minuteMs),
  queriedBefore: addMs(now, -45_000),
  limit: 200,
});

type Undecided = Awaited<ReturnType<typeof listUndecidedAttempts>>[number];

/** Returns false when the gateway gave no answer. */
const resolveAttempt = async (deps: PaymentsDeps, attempt: Undecided): Promise<boolean> => {
  const { db, clock, logger } = deps;
  const { id, paymentOrderId, gateway, startedAt } = attempt;
  const order = await findPaymentOrder(db, paymentOrderId);
  invariant(order, `payment order ${paymentOrderId} is there`);
  const found = await recoverGatewayOrder(deps, order, gateway);
  if (found === undefined) return false;
  if (found === 'none') {
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
  const polled = await pollMadeOrder(deps, { order, source: 'janitor' }, { gateway, ...found });
  return polled === 'answered';
};

/**
 * Finds out the outcome of requests for gateway orders whose response was lost, by their receipt. A
 * customer who was sent to another gateway in the meantime never saw this gateway's order. If it is
 * paid nevertheless, the payment is matched to its payment order (contract: payments-and-webhooks >
 * Failover). Gateways that do not answer are queried again by the next pass.
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
