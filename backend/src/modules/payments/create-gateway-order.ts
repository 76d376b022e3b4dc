import { msBetween } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { listUsableGateways, type GatewayWish } from './choose-gateway.ts';
import { acquireGatewayRequest, releaseGatewayRequest } from './gateway-attempts.store.ts';
import { findPaymentOrder } from './payment-orders.store.ts';
import { paymentMethods, type PaymentOrder } from './payments.types.ts';
import { tryGateway, type GatewayOrderDeps } from './try-gateway.ts';

/** The time that a request waits for another one that asks for the same order. */
const waitMs = 5000;
const pollMs = 100;

/**
 * No further gateway is tried after so much of a request: its customer waits, and the lease of its
 * idempotency key goes on for 30 s only.
 */
const budgetMs = 12_000;

const requirePaymentOrder = async (
  { db }: Pick<GatewayOrderDeps, 'db'>,
  id: string,
): Promise<PaymentOrder> => {
  const order = await findPaymentOrder(db, id);
  if (order === undefined) throw new AppError('NOT_FOUND');
  return order;
};

/**
 * Acquires the right to ask gateways, waiting for whoever has it; false when the payment order is
 * no longer CREATED. @throws AppError REQUEST_IN_PROGRESS
 */
const acquireRequest = async (
  { db, timers }: GatewayOrderDeps,
  paymentOrderId: string,
  holderId: string,
): Promise<boolean> => {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    if (await acquireGatewayRequest(db, paymentOrderId, holderId)) return true;
    const order = await findPaymentOrder(db, paymentOrderId);
    if (order?.status !== 'CREATED') return false;
    if (waitedMs >= waitMs) throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
    await timers.sleep(pollMs);
  }
};

/** Returns what a payment order asks for: its instrument, or the gateway of its mandate. */
const wishOf = ({ gateway, method, debitStatus }: PaymentOrder): GatewayWish =>
  debitStatus === null
    ? { method: paymentMethods.find((known) => known === method) }
    : { only: gateway };

/** Tries one gateway after the other, as the settings and circuits are when its turn comes. */
const createUnderLease = async (
  deps: GatewayOrderDeps,
  paymentOrderId: string,
  holderId: string,
  wish: GatewayWish,
): Promise<PaymentOrder> => {
  const { clock, wall, gateways } = deps;
  const startedAt = wall.now();
  const hasTime = () => msBetween(startedAt, wall.now()) < budgetMs;
  const tried = new Set<string>();
  while (hasTime()) {
    const order = await requirePaymentOrder(deps, paymentOrderId);
    if (order.status !== 'CREATED') return order;
    if (order.expiresAt !== null && clock.now() >= order.expiresAt) {
      throw new AppError('QUOTE_EXPIRED');
    }
    const usable = await listUsableGateways(deps, { ...wish, ...wishOf(order) });
    const [code, ...others] = usable.filter((each) => !tried.has(each));
    const gateway = code === undefined ? undefined : gateways.get(code);
    if (gateway === undefined) break;
    tried.add(gateway.code);
    const isLast = others.length === 0;
    const created = await tryGateway(deps, { gateway, order, holderId, isLast, hasTime });
    if (created !== undefined) return created;
  }
  throw new AppError('NO_USABLE_GATEWAY');
};

/**
 * Creates the gateway's order of a committed payment order, at the first gateway in the order of
 * choice that does (contract: payments-and-webhooks > Failover). It may be called again after
 * anything: a process that died, an answer that was lost, a repeat of the request, and several at
 * once, of which one asks gateways (contract: states > Payment order). Returns the payment order as
 * it is; only one that is CREATED is taken to a gateway.
 * @throws AppError NO_USABLE_GATEWAY (it stays CREATED: try again), GATEWAY_MISMATCH (it and its
 *   order are FAILED), QUOTE_EXPIRED, NOT_FOUND, REQUEST_IN_PROGRESS
 */
export const createGatewayOrder = async (
  deps: GatewayOrderDeps,
  paymentOrderId: string,
  wish: GatewayWish = {},
): Promise<PaymentOrder> => {
  const holderId = deps.random.uuid();
  if (!(await acquireRequest(deps, paymentOrderId, holderId))) {
    return requirePaymentOrder(deps, paymentOrderId);
  }
  try {
    return await createUnderLease(deps, paymentOrderId, holderId, wish);
  } finally {
    await releaseGatewayRequest(deps.db, paymentOrderId, holderId);
  }
};
