import type { Prisma } from '../../generated/prisma/client.ts';
import { lockRow, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { EventStatus, InboxSource } from './webhook-inbox.types.ts';

/** A filter of stored events. An omitted field does not filter. */
export interface EventFilter {
  readonly statuses?: readonly EventStatus[] | undefined;
  readonly source?: InboxSource | undefined;
  readonly gateway?: string | undefined;
  readonly eventType?: string | undefined;
  readonly subject?: string | undefined;
  readonly gatewayPaymentId?: string | undefined;
  readonly userId?: string | undefined;
  readonly from?: Date | undefined;
  /** The exclusive end of the range. */
  readonly to?: Date | undefined;
}

const columns = {
  id: true,
  source: true,
  gateway: true,
  eventId: true,
  eventType: true,
  subject: true,
  gatewayPaymentId: true,
  status: true,
  sealedForUserId: true,
  attempts: true,
  nextAttemptAt: true,
  lastError: true,
  receivedAt: true,
  appliedAt: true,
} as const satisfies Prisma.WebhookEventSelect;

type Row = Prisma.WebhookEventGetPayload<{ select: typeof columns }>;

/** A stored event without its body. */
export type ListedEvent = Omit<Row, 'source' | 'status'> & {
  readonly source: InboxSource;
  readonly status: EventStatus;
};

const toListed = (row: Row): ListedEvent => ({
  ...row,
  // Check constraints guarantee both values.
  source: row.source as InboxSource,
  status: row.status as EventStatus,
});

const conditionOf = ({ statuses, userId, from, to, ...columnValues }: EventFilter) => ({
  ...columnValues,
  ...(statuses !== undefined && { status: { in: [...statuses] } }),
  ...(userId !== undefined && { sealedForUserId: userId }),
  ...((from !== undefined || to !== undefined) && {
    receivedAt: { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) },
  }),
});

/** Returns a page of stored events without their bodies, newest first. */
export const listEvents = async (
  db: Db,
  filter: EventFilter,
  page: Page,
): Promise<{ readonly rows: readonly ListedEvent[]; readonly total: number }> => {
  // Prisma ignores a condition whose value is undefined.
  const where = conditionOf(filter) as Prisma.WebhookEventWhereInput;
  const [rows, total] = await Promise.all([
    db.webhookEvent.findMany({
      where,
      select: columns,
      orderBy: [{ receivedAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.webhookEvent.count({ where }),
  ]);
  return { rows: rows.map(toListed), total };
};

/** A stored event with its sealed body. The body is null after it was purged. */
export type EventWithBody = ListedEvent & { readonly sealedBody: string | null };

/** Returns one stored event. */
export const findEvent = async (db: Db, id: string): Promise<EventWithBody | undefined> => {
  const row = await db.webhookEvent.findUnique({
    where: { id },
    select: { ...columns, sealedBody: true },
  });
  return row === null ? undefined : { ...toListed(row), sealedBody: row.sealedBody };
};

/** Locks an event until the transaction ends, and returns it. */
export const lockEvent = async (tx: Db, id: string): Promise<EventWithBody | undefined> => {
  const isLocked = await lockRow(tx, 'webhook_event', id);
  return isLocked ? findEvent(tx, id) : undefined;
};

/**
 * Marks the UNMATCHED events of a payment IGNORED, after an operator has recorded the payment's
 * refund. Returns their number.
 */
export const ignoreUnmatchedEvents = async (
  tx: Db,
  { gateway, gatewayPaymentId }: { readonly gateway: string; readonly gatewayPaymentId: string },
): Promise<number> => {
  const { count } = await tx.webhookEvent.updateMany({
    where: { source: 'payment', status: 'UNMATCHED', gateway, gatewayPaymentId },
    data: { status: 'IGNORED', nextAttemptAt: null },
  });
  return count;
};
