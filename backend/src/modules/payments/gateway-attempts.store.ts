import type { Prisma } from '../../generated/prisma/client.ts';
import { sql, type Db } from '../../platform/db/index.ts';
import { createLease } from '../../platform/lease/lease.ts';

/**
 * The lease of gateway calls in ms. It is longer than one call may take, and is renewed before each
 * call.
 */
export const requestLeaseMs = 20_000;
const leaseMs = requestLeaseMs;

export const requestLease = createLease({ table: 'payment_order' });
const lease = requestLease;
const rowOf = (id: string) => sql`id = ${id}::uuid`;
const isUnopened = sql`status = 'CREATED'`;

/**
 * Acquires the right to create the gateway order of a CREATED payment order. Returns false while
 * another request has the right, or if the payment order is no longer CREATED.
 */
export const acquireGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.acquire(db, { row: rowOf(id), holderId, leaseMs, where: isUnopened });

/** Renews the lease before a call. Returns false if the lease was lost. */
export const renewGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.renew(db, { row: rowOf(id), holderId, leaseMs });

/** Ends the lease, so that another request may act. Returns false if the lease was already lost. */
export const releaseGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.release(db, { row: rowOf(id), holderId });

/** The state of a request to a gateway for an order. */
export const gatewayAttemptStatuses = ['INTENDED', 'DONE', 'REFUSED', 'UNKNOWN'] as const;
type GatewayAttemptStatus = (typeof gatewayAttemptStatuses)[number];

const undecided = {
  status: { in: ['INTENDED', 'UNKNOWN'] },
} satisfies Prisma.GatewayAttemptWhereInput;

/** Identifies an attempt to create the order of one payment order at one gateway. */
interface AttemptKey {
  readonly paymentOrderId: string;
  readonly gateway: string;
}

/** Records the intent, in the transaction that sets the gateway of the payment order. */
export const insertAttempt = async (
  tx: Db,
  id: string,
  { paymentOrderId, gateway }: AttemptKey,
  startedAt: Date,
): Promise<void> => {
  await tx.gatewayAttempt.create({
    data: { id, paymentOrderId, gateway, status: 'INTENDED', startedAt },
    select: { id: true },
  });
};

/** Returns true if an order may have been requested at this gateway and the outcome is unknown. */
export const hasUndecidedAttempt = async (
  db: Db,
  { paymentOrderId, gateway }: AttemptKey,
): Promise<boolean> => {
  const attempt = await db.gatewayAttempt.findFirst({
    where: { paymentOrderId, gateway, ...undecided },
    select: { id: true },
  });
  return attempt !== null;
};

/** Stores the outcome of one attempt, unless a sweep has already stored a final outcome. */
export const updateAttemptOutcome = async (
  db: Db,
  id: string,
  given: {
    readonly status: 'REFUSED' | 'UNKNOWN';
    readonly detail: string;
    readonly at: Date;
    /** True if the gateway read the request and refused it. */
    readonly turnedDown?: boolean;
  },
): Promise<void> => {
  const { status, detail, at, turnedDown = false } = given;
  await db.gatewayAttempt.updateMany({
    where: { id, ...undecided },
    data: { status, detail, turnedDown, endedAt: status === 'REFUSED' ? at : null },
  });
};

/**
 * Returns true if every gateway that was called for a payment order refused the last call. An
 * unreachable gateway has not refused.
 */
export const isRefusedByEveryGateway = async (db: Db, paymentOrderId: string): Promise<boolean> => {
  const newestAttempts = await db.gatewayAttempt.findMany({
    where: { paymentOrderId },
    distinct: ['gateway'],
    orderBy: [{ gateway: 'asc' }, { startedAt: 'desc' }, { id: 'desc' }],
    select: { turnedDown: true },
  });
  return newestAttempts.length > 0 && newestAttempts.every(({ turnedDown }) => turnedDown);
};

/**
 * Marks all undecided attempts at this gateway DONE, since they share one receipt, and stores the
 * id of the gateway's order. A payment of that order finds its payment order by this id, even if the
 * customer was sent to another gateway.
 */
export const markAttemptDone = async (
  db: Db,
  { paymentOrderId, gateway }: AttemptKey,
  { gatewayOrderId, detail, at }: { gatewayOrderId: string; detail: string; at: Date },
): Promise<void> => {
  await db.gatewayAttempt.updateMany({
    where: { paymentOrderId, gateway, ...undecided },
    data: { status: 'DONE', gatewayOrderId, detail, endedAt: at },
  });
};

/** Returns the id of the payment order for which a gateway created this order. */
export const findAttemptedPaymentOrder = async (
  db: Db,
  gateway: string,
  gatewayOrderId: string,
): Promise<string | undefined> => {
  const attempt = await db.gatewayAttempt.findFirst({
    where: { gateway, gatewayOrderId },
    orderBy: [{ startedAt: 'asc' }, { id: 'asc' }],
    select: { paymentOrderId: true },
  });
  return attempt?.paymentOrderId;
};

export interface GatewayAttempt extends AttemptKey {
  readonly status: GatewayAttemptStatus;
  readonly gatewayOrderId: string | null;
  /**
   * A short description of the outcome, or null if there is none yet. It quotes no text of the
   * gateway.
   */
  readonly detail: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** Lists the requests for orders of these payment orders, oldest first. */
export const listAttempts = (
  db: Db,
  paymentOrderIds: readonly string[],
): Promise<GatewayAttempt[]> =>
  db.gatewayAttempt.findMany({
    where: { paymentOrderId: { in: [...paymentOrderIds] } },
    orderBy: [{ startedAt: 'asc' }, { id: 'asc' }],
    select: {
      paymentOrderId: true,
      gateway: true,
      status: true,
      gatewayOrderId: true,
      detail: true,
      startedAt: true,
      endedAt: true,
    },
  }) as Promise<GatewayAttempt[]>; // a check constraint holds the states

/** Lists the orders that gateways created for a payment order, including its current one. */
export const listCreatedOrders = async (
  db: Db,
  paymentOrderId: string,
): Promise<{ gateway: string; gatewayOrderId: string }[]> => {
  const rows = await db.gatewayAttempt.findMany({
    where: { paymentOrderId, gatewayOrderId: { not: null } },
    distinct: ['gateway', 'gatewayOrderId'],
    select: { gateway: true, gatewayOrderId: true },
  });
  return rows.flatMap(({ gateway, gatewayOrderId }) =>
    gatewayOrderId === null ? [] : [{ gateway, gatewayOrderId }],
  );
};

/** The times that decide which undecided attempts are due for a query. */
export interface AttemptWindow {
  readonly now: Date;
  readonly startedBefore: Date;
  readonly queriedBefore: Date;
  readonly limit: number;
}

/**
 * Returns the condition that an attempt was not queried recently. A time in the future was written
 * before the clock was set back, so it is ignored.
 */
const notQueriedSince = ({ now, queriedBefore }: AttemptWindow) =>
  [
    { lastAskedAt: null },
    { lastAskedAt: { lt: queriedBefore } },
    { lastAskedAt: { gt: now } },
  ] satisfies Prisma.GatewayAttemptWhereInput[];

/** Lists the attempts whose outcome is unknown, least recently queried first. */
export const listUndecidedAttempts = (
  db: Db,
  window: AttemptWindow,
  silentGateways: readonly string[],
): Promise<(AttemptKey & { id: string; startedAt: Date })[]> =>
  db.gatewayAttempt.findMany({
    where: {
      ...undecided,
      gateway: { notIn: [...silentGateways] },
      startedAt: { lt: window.startedBefore },
      OR: notQueriedSince(window),
    },
    orderBy: [{ lastAskedAt: { sort: 'asc', nulls: 'first' } }, { startedAt: 'asc' }],
    take: window.limit,
    select: { id: true, paymentOrderId: true, gateway: true, startedAt: true },
  });

/** Claims an attempt for a query. Returns true to only one of several concurrent callers. */
export const claimAttempt = async (db: Db, id: string, window: AttemptWindow): Promise<boolean> => {
  const { count } = await db.gatewayAttempt.updateMany({
    where: { id, ...undecided, OR: notQueriedSince(window) },
    data: { lastAskedAt: window.now },
  });
  return count === 1;
};
