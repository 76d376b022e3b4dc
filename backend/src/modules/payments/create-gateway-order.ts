import { msBetween } from '../../platform/clock/clock.ts';
import { makeCall } from '../../platform/collaborator-call/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { paymentMethods, type PaymentOrder } from './payments.types.ts';
import { acquireGatewayRequest, releaseGatewayRequest } from './gateway-attempts.store.ts';
import { findPaymentOrder } from './payment-orders.store.ts';
import { acquireFirstTurn } from './first-turn.store.ts';
import { listUsableGateways, type GatewayCriteria } from './choose-gateway.ts';
import { createGatewayCall, type GatewayOrderDeps, type GatewayTurn } from './gateway-call.ts';

/**
 * The time in ms after which a slow gateway is not called a second time, if another gateway can be
 * tried instead.
 */
const patienceMs = 3000;

/**
 * Tries to create the order of a payment order at one gateway. Returns the updated payment order,
 * or undefined if this gateway refused or the outcome is unknown. The next gateway may then be
 * tried. `isLast` is true if no other gateway can be tried.
 * @throws AppError GATEWAY_MISMATCH (the payment order and its order are FAILED), NOT_FOUND,
 *   REQUEST_IN_PROGRESS when the lease was lost to another request
 */
const tryGateway = async (
  deps: GatewayOrderDeps,
  turn: GatewayTurn,
  isLast: boolean,
): Promise<PaymentOrder | undefined> => {
  const { db, wall } = deps;
  const call = createGatewayCall(deps);
  const startedAt = wall.now();
  const first = await makeCall(deps, call, turn);
  const isQuick = msBetween(startedAt, wall.now()) < patienceMs;
  const mayRepeat = (isLast || isQuick) && turn.hasTime();
  // Calls again if the first response was lost. The call first queries the gateway by receipt, so
  // that it never creates a second order.
  const final =
    first.kind === 'UNKNOWN' && first.answer?.kind !== 'refused' && mayRepeat
      ? await makeCall(deps, call, {
          ...turn,
          attempt: { id: first.call.attempt.id, wasSent: true },
        })
      : first;
  if (final.kind !== 'SKIP') return final.recorded;
  if (final.isHeld !== true) return findPaymentOrder(db, turn.order.id);
  throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
};

/** The longest time in ms that a request waits for a concurrent request for the same order. */
const waitMs = 5000;
const pollMs = 100;

/**
 * The time in ms of a request after which no further gateway is tried. The customer is waiting, and
 * the lease of the idempotency key lasts only 30 s.
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
 * Acquires the right to call gateways, and waits while another request has it. Returns false if the
 * payment order is no longer CREATED.
 * @throws AppError REQUEST_IN_PROGRESS if the other request takes too long
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

/** Returns the criteria of a payment order: its instrument, or the gateway of its mandate. */
const criteriaOf = ({ gateway, method, debitStatus }: PaymentOrder): GatewayCriteria =>
  debitStatus === null
    ? { method: paymentMethods.find((each) => each === method) }
    : { only: gateway };

/** A request to create a gateway order, which may try several gateways one after the other. */
interface OrderRequest {
  readonly paymentOrderId: string;
  readonly holderId: string;
  readonly criteria: GatewayCriteria;
  readonly hasTime: () => boolean;
}

/**
 * Tries the first gateway of `usable` if no gateway was tried before. Returns 'tried' if this
 * gateway failed, and undefined if it was not called. `createGatewayOrder` handles both cases.
 */
const tryFirst = async (
  deps: GatewayOrderDeps,
  { paymentOrderId, holderId, hasTime }: OrderRequest,
  [code, ...others]: readonly string[],
): Promise<PaymentOrder | 'tried' | undefined> => {
  const gateway = code === undefined ? undefined : deps.gateways.get(code);
  if (gateway === undefined) return undefined;
  const attemptId = deps.random.uuid();
  const at = deps.clock.now();
  const turn = { paymentOrderId, gateway: gateway.code, holderId, attemptId, at };
  const order = await acquireFirstTurn(deps.db, turn);
  if (order === undefined) return undefined;
  const attempt = { id: attemptId, wasSent: false, hasLease: true } as const;
  const first = { gateway, order, holderId, attempt, hasTime };
  return (await tryGateway(deps, first, others.length === 0)) ?? 'tried';
};

/** Tries one gateway after the other. Reads the settings and circuits again before each gateway. */
const createUnderLease = async (
  deps: GatewayOrderDeps,
  { paymentOrderId, holderId, criteria, hasTime }: OrderRequest,
  triedBefore: readonly string[],
): Promise<PaymentOrder> => {
  const { clock, gateways } = deps;
  const tried = new Set(triedBefore);
  while (hasTime()) {
    const order = await requirePaymentOrder(deps, paymentOrderId);
    if (order.status !== 'CREATED') return order;
    if (order.expiresAt !== null && clock.now() >= order.expiresAt) {
      throw new AppError('QUOTE_EXPIRED');
    }
    const usable = await listUsableGateways(deps, { ...criteria, ...criteriaOf(order) });
    const [code, ...others] = usable.filter((each) => !tried.has(each));
    const gateway = code === undefined ? undefined : gateways.get(code);
    if (gateway === undefined) break;
    tried.add(gateway.code);
    const turn = { gateway, order, holderId, hasTime };
    const created = await tryGateway(deps, turn, others.length === 0);
    if (created !== undefined) return created;
  }
  throw new AppError('NO_USABLE_GATEWAY');
};

/**
 * Creates the gateway's order of a committed payment order, at the first gateway in the order of
 * choice that succeeds (contract: payments-and-webhooks > Failover). It is safe to call again after
 * a crash, after a lost response or when the request is repeated. Of several concurrent calls, only
 * one calls gateways (contract: states > Payment order). Returns the payment order, unchanged if it
 * is no longer CREATED. `usable` lists the usable gateways that the caller has just read, in the
 * order of choice. The first of them is called without another read of the settings.
 * @throws AppError NO_USABLE_GATEWAY (the payment order stays CREATED, so try again),
 *   GATEWAY_MISMATCH (the payment order and its gold order are FAILED), QUOTE_EXPIRED, NOT_FOUND,
 *   REQUEST_IN_PROGRESS
 */
export const createGatewayOrder = async (
  deps: GatewayOrderDeps,
  paymentOrderId: string,
  criteria: GatewayCriteria = {},
  usable: readonly string[] = [],
): Promise<PaymentOrder> => {
  const { wall } = deps;
  const holderId = deps.random.uuid();
  const startedAt = wall.now();
  const hasTime = () => msBetween(startedAt, wall.now()) < budgetMs;
  const request = { paymentOrderId, holderId, criteria, hasTime };
  // False once `openHeldPaymentOrder` has ended the lease together with its update.
  let isHeld = true;
  try {
    const first = await tryFirst(deps, request, usable);
    if (typeof first === 'object') {
      isHeld = first.status !== 'GATEWAY_ORDER_CREATED';
      return first;
    }
    const isAcquired = first === 'tried' || (await acquireRequest(deps, paymentOrderId, holderId));
    if (!isAcquired) return await requirePaymentOrder(deps, paymentOrderId);
    return await createUnderLease(deps, request, first === 'tried' ? usable.slice(0, 1) : []);
  } finally {
    if (isHeld) await releaseGatewayRequest(deps.db, paymentOrderId, holderId);
  }
};
