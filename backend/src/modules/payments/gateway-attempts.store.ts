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
 * another request has it, or when the payment order is no longer CREATED.
 */
export const acquireGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.acquire(db, { row: rowOf(id), holderId, leaseMs, where: isUnopened });

/** Begins the lease again, before a call. Returns false when it was lost. */
export const renewGatewayRequest = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.renew(db, { row: rowOf(id), holderId, leaseMs });

/** Lets the next request in. Returns false when the lease was lost meanwhile. */
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

/** Records the intent, in the transaction that names the gateway in its payment order. */
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

/** Returns true when an order was requested at this gateway and the response may have been lost. */
export const hasUndecidedAttempt = async (
  db: Db,
  { paymentOrderId, gateway }: AttemptKey,
): Promise<boolean> => {
  const found = await db.gatewayAttempt.findFirst({
    where: { paymentOrderId, gateway, ...undecided },
    select: { id: true },
  });
  return found !== null;
};

/** Stores the outcome of one attempt. An outcome that a sweep has stored meanwhile stays. */
export const updateAttemptOutcome = async (
  db: Db,
  id: string,
  given: {
    readonly status: 'REFUSED' | 'UNKNOWN';
    readonly detail: string;
    readonly at: Date;
    /** The gateway read the request and refused it. */
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
 * Returns true when every gateway that was called for a payment order refused it on its last call,
 * so none of them was merely unreachable.
 */
export const isRefusedByEveryGateway = async (db: Db, paymentOrderId: string): Promise<boolean> => {
  const newest = await db.gatewayAttempt.findMany({
    where: { paymentOrderId },
    distinct: ['gateway'],
    orderBy: [{ gateway: 'asc' }, { startedAt: 'desc' }, { id: 'desc' }],
    select: { turnedDown: true },
  });
  return newest.length > 0 && newest.every(({ turnedDown }) => turnedDown);
};

/**
 * Records that the gateway has the order, for all attempts at this gateway, since they share one
 * receipt. Payments of that order find their payment order by this, even if another gateway served
 * the customer in the end.
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

/** Returns the payment order for which a gateway made this order. */
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

/** Lists the orders that gateways made for a payment order, its own among them. */
export const listMadeOrders = async (
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

/** A time in the future was written before the clock was set back, and is ignored. */
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

/** Returns true for the one caller that may query an attempt now. */
export const claimAttempt = async (db: Db, id: string, window: AttemptWindow): Promise<boolean> => {
  const { count } = await db.gatewayAttempt.updateMany({
    where: { id, ...undecided, OR: notQueriedSince(window) },
    data: { lastAskedAt: window.now },
  });
  return count === 1;
};
