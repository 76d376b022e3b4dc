import { isRead, type PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import {
  makeCall,
  readFound,
  skip,
  type CallProtocol,
  type Claim,
} from '../../platform/collaborator-call/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { done, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import type { PaymentOrder, PaymentsDeps } from './payments.types.ts';
import { listUsableGateways } from './choose-gateway.ts';
import { createGatewayOrder } from './create-gateway-order.ts';
import {
  acquireDebit,
  findDebit,
  releaseDebit,
  startDebit,
  readMandateToken,
} from './debits.store.ts';
import { findPaymentOrder } from './payment-orders.store.ts';
import { recordDebitResult, type AcceptedDebit, type ActiveDebit } from './record-debit.ts';

/** The time in ms after which a request that the gateway does not list can no longer arrive. */
const arrivalMs = 15 * 60_000;

const canDebit = (gateway: PaymentGateway | undefined): gateway is ActiveDebit['gateway'] =>
  gateway?.debitMandate !== undefined;

/** Fetches the payments of the debit's order, or undefined if the gateway has none. */
const queryDebit = async (
  { logger }: PaymentsDeps,
  { order, gateway, gatewayOrderId }: ActiveDebit,
): Promise<Outcome<AcceptedDebit | undefined>> => {
  const response = await gateway.listPayments(gatewayOrderId);
  if (response.kind !== 'done') return response;
  if (response.value.length === 0) return done(undefined);
  const payments = response.value.filter(isRead);
  const [first] = payments;
  if (first !== undefined) return done({ gatewayDebitId: first.gatewayPaymentId, payments });
  // The unreadable payment may be this debit and may have been paid, so no further request is sent.
  logger.error({ paymentOrderId: order.id }, 'a payment under a mandate cannot be read');
  return unknown('a payment under a mandate cannot be read');
};

/**
 * Requests the debit. A repeated request has the same key, so that the gateway debits once. Returns
 * undefined if the lease was lost.
 */
const requestDebit = async (
  deps: PaymentsDeps,
  { order, gateway, gatewayOrderId, holderId }: ActiveDebit,
): Promise<Outcome<AcceptedDebit> | undefined> => {
  const { id: paymentOrderId, amountPaise, currency } = order;
  const mandateToken = await readMandateToken(deps, order);
  invariant(mandateToken, `payment order ${paymentOrderId} has a mandate`);
  const start = { holderId, at: deps.clock.now() };
  if (!(await startDebit(deps.db, paymentOrderId, start))) return undefined;
  return gateway.debitMandate({
    gatewayOrderId,
    mandateToken,
    amountPaise,
    currency,
    idempotencyKey: paymentOrderId,
  });
};

/** Returns true if the gateway of a mandate may be used now. No other gateway can debit it. */
const isUsable = async (deps: PaymentsDeps, only: string): Promise<boolean> =>
  (await listUsableGateways(deps, { only })).length > 0;

/**
 * The errors of `createGatewayOrder` after which a debit waits for a later pass, or has failed or
 * expired.
 */
const expectedErrors = [
  'NO_USABLE_GATEWAY',
  'REQUEST_IN_PROGRESS',
  'GATEWAY_MISMATCH',
  'QUOTE_EXPIRED',
] as const;

/**
 * Returns the payment order with its gateway order, which is created if it is missing. Returns
 * undefined if the debit has to wait, has failed or has expired.
 */
const openOrder = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
): Promise<PaymentOrder | undefined> => {
  if (order.status !== 'CREATED') return order;
  try {
    return await createGatewayOrder(deps, order.id);
  } catch (error) {
    if (expectedErrors.some((code) => isAppError(error, code))) return undefined;
    throw error;
  }
};

interface DebitRequest {
  readonly paymentOrderId: string;
  /** False if the gateway may only be queried, for example while the release gate is closed. */
  readonly mayRequest: boolean;
}

/**
 * Claims a debit that is due and has a gateway order. A request may be sent only on the day for
 * which the debit was announced.
 */
const claimDebit = async (
  deps: PaymentsDeps,
  { paymentOrderId, mayRequest }: DebitRequest,
): Promise<Claim<ActiveDebit>> => {
  const { db, inTransaction, clock, gateways, random } = deps;
  const paymentOrder = await findPaymentOrder(db, paymentOrderId);
  if (
    paymentOrder === undefined ||
    paymentOrder.debitDueAt === null ||
    paymentOrder.debitDueAt > clock.now()
  ) {
    return skip('no debit is due');
  }
  // The debit was announced for one day. On a later day it waits until it is announced again.
  const isItsDay = istDate(paymentOrder.debitDueAt) === istDate(clock.now());
  const maySend = mayRequest && isItsDay && (await isUsable(deps, paymentOrder.gateway));
  if (paymentOrder.debitStatus === 'SCHEDULED' && !maySend) return skip('it may not be sent now');
  const order = await openOrder(deps, paymentOrder);
  const gateway = gateways.get(paymentOrder.gateway);
  if (order === undefined || order.gatewayOrderId === null || !canDebit(gateway)) {
    return skip('its gateway has no order');
  }
  const { gatewayOrderId } = order;
  const holderId = random.uuid();
  const debit = await inTransaction(async (tx) =>
    (await acquireDebit(tx, order.id, { holderId, at: clock.now() }))
      ? findDebit(tx, order.id)
      : undefined,
  );
  if (debit === undefined) return skip('another worker has it, or it is over');
  const { status, sentAt } = debit;
  const call = { order, gateway, gatewayOrderId, holderId, status, sentAt, maySend, isItsDay };
  return status === 'ACCEPTED'
    ? { kind: 'QUERY', call }
    : { kind: 'SEND', call, wasSent: sentAt !== null };
};

/**
 * Declares the call that debits a mandate (contract: plans > Mandates). A repeat first queries the
 * gateway. If the gateway has no idempotency key, a repeat also waits until the earlier request
 * must have arrived. The gateway reports the outcome of an accepted debit like any payment.
 */
const createDebitCall = (
  deps: PaymentsDeps,
): CallProtocol<DebitRequest, ActiveDebit, AcceptedDebit> => ({
  flow: 'debit',
  fieldsOf: ({ paymentOrderId }) => ({ paymentOrderId }),
  claim: (request) => claimDebit(deps, request),
  send: (debit) => requestDebit(deps, debit),
  hasArrived: ({ sentAt }) => sentAt === null || deps.clock.now() >= addMs(sentAt, arrivalMs),
  query: async (debit) => readFound(await queryDebit(deps, debit)),
  decide({ status, gateway, maySend, isItsDay }, hasArrived) {
    if (status === 'ACCEPTED') return { kind: 'UNKNOWN', reason: 'accepted, and not paid so far' };
    if (maySend && (gateway.debitsHaveKey || hasArrived)) return 'SEND';
    return !isItsDay && hasArrived
      ? { kind: 'INTENDED', reason: 'it was not made on its day' }
      : { kind: 'UNKNOWN', reason: 'it may not be sent again now' };
  },
  record: (debit, result) => recordDebitResult(deps, debit, result),
  release: ({ order, holderId }) => releaseDebit(deps.db, order.id, holderId),
});

/**
 * Debits the mandate of a payment order that is due, or finds out the outcome of an earlier
 * request. It may be called at any time, any number of times, and concurrently.
 */
export const debitMandate = async (deps: PaymentsDeps, request: DebitRequest): Promise<void> => {
  await makeCall(deps, createDebitCall(deps), request);
};
