import {
  isRead,
  type GatewayPayment,
  type PaymentGateway,
} from '../../adapters/payment-gateway/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import {
  makeCall,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
} from '../../platform/collaborator-call/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  done,
  explainOutcome,
  refused,
  unknown,
  type Outcome,
} from '../../platform/outcome/outcome.ts';
import { lockPayableOrder, markOrderFailed } from '../orders/index.ts';
import { applyPayment } from './apply-payment.ts';
import {
  gatewayCause,
  type DebitStatus,
  type PaymentOrder,
  type PaymentsDeps,
} from './payments.types.ts';
import { listUsableGateways } from './choose-gateway.ts';
import { createGatewayOrder } from './create-gateway-order.ts';
import {
  acquireDebit,
  findDebit,
  recordDebit,
  releaseDebit,
  startDebit,
  readMandateToken,
  type DebitRecord,
} from './debits.store.ts';
import { findPaymentOrder, lockPaymentOrder } from './payment-orders.store.ts';
import { transitionPaymentOrder } from './payments.states.ts';

/** A request of which a gateway knows nothing after so long never arrived, and never will. */
const arrivalMs = 15 * 60_000;

/** A debit that this process acts on, at a gateway that can debit. */
interface ActiveDebit {
  readonly order: PaymentOrder;
  readonly status: DebitStatus;
  readonly gatewayOrderId: string;
  readonly gateway: PaymentGateway & Required<Pick<PaymentGateway, 'debitMandate'>>;
  readonly holderId: string;
  /**
   * The time of an earlier request that may still reach the gateway, or null where there is none.
   */
  readonly sentAt: Date | null;
  /** The gate is open, its gateway is usable, and it is the day that was announced. */
  readonly maySend: boolean;
  readonly isItsDay: boolean;
}

/** A debit that the gateway took, with the payments that it lists of it. */
interface AcceptedDebit {
  readonly gatewayDebitId: string;
  readonly payments?: readonly GatewayPayment[];
}

const canDebit = (gateway: PaymentGateway | undefined): gateway is ActiveDebit['gateway'] =>
  gateway?.debitMandate !== undefined;

/** Applies what the gateway lists of the order's payments, as a webhook would. */
const applyListed = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
  listed: readonly GatewayPayment[],
): Promise<void> => {
  const { gateway } = order;
  const cause = gatewayCause('asked_by_janitor', gateway);
  const inOrder = [
    ...listed.filter(({ status }) => status === 'CAPTURED'),
    ...listed.filter(({ status }) => status === 'FAILED'),
  ];
  for (const { status, createdAt: occurredAt, ...payment } of inOrder) {
    const kind = status === 'CAPTURED' ? 'captured' : 'failed';
    const learnedAt = deps.clock.now();
    const report = { ...payment, kind, gateway, occurredAt, learnedAt } as const;
    const applied = await deps.inTransaction((tx) =>
      applyPayment(deps, tx, order, { report, cause }),
    );
    if (!applied.changed) continue;
    if (kind === 'captured') deps.metrics.countFoundCapture(gateway, 'janitor');
    deps.logger.warn({ paymentOrderId: order.id, gateway, kind }, 'the end of a debit was found');
  }
};

/** Returns the payments that the gateway has of the debit's order. */
const queryDebit = async (
  { logger }: PaymentsDeps,
  { order, gateway, gatewayOrderId }: ActiveDebit,
): Promise<Outcome<AcceptedDebit | undefined>> => {
  const listed = await gateway.listPayments(gatewayOrderId);
  if (listed.kind !== 'done') return listed;
  if (listed.value.length === 0) return done(undefined);
  const payments = listed.value.filter(isRead);
  const [known] = payments;
  if (known !== undefined) return done({ gatewayDebitId: known.gatewayPaymentId, payments });
  // It may be this debit, and may have been paid: nothing is sent on top of it.
  logger.error({ paymentOrderId: order.id }, 'a payment under a mandate cannot be read');
  return unknown('a payment under a mandate cannot be read');
};

/**
 * Fails a debit that certainly will not happen, and the installment that waited for it. Its history
 * says why.
 */
const failDebit = (
  deps: PaymentsDeps,
  { order, holderId }: ActiveDebit,
  reason: string,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const cause = gatewayCause('debit_refused', order.gateway);
    const goldOrder = await lockPayableOrder(tx, order.orderId);
    const current = await lockPaymentOrder(tx, order.id);
    const at = deps.clock.now();
    const isHeld = await recordDebit(tx, order.id, holderId, { status: 'REFUSED', at });
    if (!isHeld || current?.status !== 'GATEWAY_ORDER_CREATED') return;
    await transitionPaymentOrder(deps, tx, current, { ...cause, to: 'FAILED' });
    if (goldOrder.status === 'PENDING')
      await markOrderFailed(deps, tx, goldOrder, { ...cause, reason });
  });

/**
 * Sends the request. A repeat has the same key, so that the gateway debits once. Undefined where
 * the lease was lost.
 */
const requestDebit = async (
  deps: PaymentsDeps,
  { order, gateway, gatewayOrderId, holderId }: ActiveDebit,
): Promise<Outcome<AcceptedDebit> | undefined> => {
  const { id: paymentOrderId, amountPaise, currency } = order;
  const mandateToken = await readMandateToken(deps, order);
  invariant(mandateToken, `payment order ${paymentOrderId} has a mandate`);
  const started = { holderId, at: deps.clock.now() };
  if (!(await startDebit(deps.db, paymentOrderId, started))) return undefined;
  return gateway.debitMandate({
    gatewayOrderId,
    mandateToken,
    amountPaise,
    currency,
    idempotencyKey: paymentOrderId,
  });
};

const recordResult = async (
  deps: PaymentsDeps,
  debit: ActiveDebit,
  result: CallResult<AcceptedDebit>,
): Promise<void> => {
  const { order, holderId, sentAt } = debit;
  const record = (change: Omit<DebitRecord, 'at'>) =>
    recordDebit(deps.db, order.id, holderId, { ...change, at: deps.clock.now() });
  switch (result.kind) {
    case 'DONE': {
      const { gatewayDebitId, payments = [] } = result.value;
      await record({ status: 'ACCEPTED', gatewayDebitId });
      await applyListed(deps, order, payments);
      return;
    }
    case 'REFUSED':
      return failDebit(deps, debit, explainOutcome(refused(result.code, result.reason)));
    case 'INTENDED':
      // Certainly not made: the next try is the first one again, on the day it is planned for.
      await record({ status: 'SCHEDULED', sentAt: null });
      return;
    case 'UNKNOWN':
      if (result.answer?.kind === 'unknown') await record({ status: 'UNKNOWN' });
      // The request of now is decided, and an earlier one may be on its way still.
      if (result.answer?.kind === 'refused') await record({ status: 'UNKNOWN', sentAt });
      return;
    default:
      result satisfies never;
  }
};

/** Returns true for a gateway that may be used now. A mandate is valid at its own gateway alone. */
const isUsable = async (deps: PaymentsDeps, only: string): Promise<boolean> =>
  (await listUsableGateways(deps, { only })).length > 0;

/**
 * The refusals of `createGatewayOrder` for which a debit waits, the one that has failed it, and the
 * one of a debit whose time is over.
 */
const handled = [
  'NO_USABLE_GATEWAY',
  'REQUEST_IN_PROGRESS',
  'GATEWAY_MISMATCH',
  'QUOTE_EXPIRED',
] as const;

/**
 * Returns the payment order with its gateway's order, or undefined where it has to wait, or failed.
 */
const openOrder = async (
  deps: PaymentsDeps,
  order: PaymentOrder,
): Promise<PaymentOrder | undefined> => {
  if (order.status !== 'CREATED') return order;
  try {
    return await createGatewayOrder(deps, order.id);
  } catch (error) {
    if (handled.some((code) => isAppError(error, code))) return undefined;
    throw error;
  }
};

interface DebitRequest {
  readonly paymentOrderId: string;
  /** False: the gateway is only queried, as behind a closed gate. */
  readonly mayRequest: boolean;
}

/** Acquires a debit that is due, at a gateway's order. Nothing is sent on another day. */
const claimDebit = async (
  deps: PaymentsDeps,
  { paymentOrderId, mayRequest }: DebitRequest,
): Promise<Claim<ActiveDebit>> => {
  const { db, inTransaction, clock, gateways, random } = deps;
  const found = await findPaymentOrder(db, paymentOrderId);
  if (found === undefined || found.debitDueAt === null || found.debitDueAt > clock.now()) {
    return skip('no debit is due');
  }
  // It was announced for a day: on a later one it waits until it is announced again.
  const isItsDay = istDate(found.debitDueAt) === istDate(clock.now());
  const mayNow = mayRequest && isItsDay;
  const maySend = mayNow && (await isUsable(deps, found.gateway));
  if (found.debitStatus === 'SCHEDULED' && !maySend) return skip('it may not be sent now');
  const order = await openOrder(deps, found);
  const gateway = gateways.get(found.gateway);
  if (order === undefined || order.gatewayOrderId === null || !canDebit(gateway)) {
    return skip('its gateway has no order');
  }
  const { gatewayOrderId } = order;
  const holderId = random.uuid();
  const held = await inTransaction(async (tx) =>
    (await acquireDebit(tx, order.id, { holderId, at: clock.now() }))
      ? findDebit(tx, order.id)
      : undefined,
  );
  if (held === undefined) return skip('another worker has it, or it is over');
  const { status, sentAt } = held;
  const call = { order, gateway, gatewayOrderId, holderId, status, sentAt, maySend, isItsDay };
  return status === 'ACCEPTED'
    ? { kind: 'QUERY', call }
    : { kind: 'SEND', call, wasSent: sentAt !== null };
};

/**
 * Declares how a mandate is debited (contract: plans > Mandates). Before a repeated request the
 * gateway is queried. A gateway that keeps no key against repeats gets one only once the request
 * before must have arrived. The end of an accepted debit comes as that of any payment.
 */
const createDebitCall = (
  deps: PaymentsDeps,
): CallProtocol<DebitRequest, ActiveDebit, AcceptedDebit> => ({
  flow: 'debit',
  fieldsOf: ({ paymentOrderId }) => ({ paymentOrderId }),
  claim: (request) => claimDebit(deps, request),
  send: (debit) => requestDebit(deps, debit),
  hasArrived: ({ sentAt }) => sentAt === null || deps.clock.now() >= addMs(sentAt, arrivalMs),
  query: (debit) => queryDebit(deps, debit),
  decide({ status, gateway, maySend, isItsDay }, hasArrived) {
    if (status === 'ACCEPTED') return { kind: 'UNKNOWN', reason: 'accepted, and not paid so far' };
    if (maySend && (gateway.debitsHaveKey || hasArrived)) return 'SEND';
    return !isItsDay && hasArrived
      ? { kind: 'INTENDED', reason: 'it was not made on its day' }
      : { kind: 'UNKNOWN', reason: 'it may not be sent again now' };
  },
  record: (debit, result) => recordResult(deps, debit, result),
  release: ({ order, holderId }) => releaseDebit(deps.db, order.id, holderId),
});

/**
 * Debits the mandate of a payment order that is due, or finds out what became of it. It may be
 * called at any time, any number of times and by several at once.
 */
export const debitMandate = async (deps: PaymentsDeps, request: DebitRequest): Promise<void> => {
  await makeCall(deps, createDebitCall(deps), request);
};
