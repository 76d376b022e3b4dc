import { createHash } from 'node:crypto';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { ApplyPayment } from './apply-payment.ts';
import { factOf, infoOf, recordUnmatched } from './payment-fact.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import type { PaymentOrder } from './payments.types.ts';
import { sealEvent, type PaymentEvent } from './sealed-event.ts';
import {
  createWebhookInboxStore,
  type InboxEntry,
  type InboxStatus,
} from './webhook-inbox.store.ts';

/** Bodies of nobody that is known are kept for so long (decisions, section 4, Deletion). */
const serviceSealedDays = 30;
const dayMs = 24 * 60 * 60_000;

/** A signed event as it came. */
export interface Arrival {
  readonly gateway: string;
  readonly eventId: string | undefined;
  readonly rawBody: Buffer;
  readonly event: PaymentEvent;
  readonly receivedAt: Date;
  readonly requestId: string;
}

export interface TakeInDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly applyPayment: ApplyPayment;
}

const targetOf = async (
  db: Db,
  gateway: string,
  event: PaymentEvent,
): Promise<PaymentOrder | undefined> =>
  event.kind === 'unreadable'
    ? undefined
    : createPaymentOrderStore(db).findByGatewayOrder(gateway, event.gatewayOrderId);

const statusOf = (event: PaymentEvent, target: PaymentOrder | undefined): InboxStatus => {
  if (event.kind === 'unreadable') return 'UNREADABLE';
  if (event.kind === 'other') return 'IGNORED';
  return target === undefined ? 'UNMATCHED' : 'APPLIED';
};

const entryOf = async (
  db: Db,
  deps: TakeInDeps,
  arrival: Arrival,
  target: PaymentOrder | undefined,
): Promise<Omit<InboxEntry, 'status' | 'failure'>> => {
  const { gateway, eventId, rawBody, event, receivedAt } = arrival;
  const id = deps.random.uuid();
  const sealed = await sealEvent(deps.vault, db, { id, userId: target?.userId, rawBody, event });
  const named = event.kind === 'unreadable' ? undefined : event;
  return {
    id,
    gateway,
    eventId,
    bodyHash: createHash('sha256').update(rawBody).digest('hex'),
    eventType: named?.name,
    subject: named?.gatewayOrderId,
    gatewayPaymentId: named?.gatewayPaymentId,
    ...sealed,
    purgeAfter:
      sealed.sealedForUserId === undefined
        ? addMs(receivedAt, serviceSealedDays * dayMs)
        : undefined,
    receivedAt,
  };
};

/**
 * Stores an event and applies it, in the caller's one transaction (decisions, section 5).
 * A repeat changes nothing. @throws what applying it throws: nothing is stored then
 */
export const takeIn = async (
  db: Db,
  deps: TakeInDeps,
  arrival: Arrival,
): Promise<InboxStatus | 'DUPLICATE'> => {
  const { gateway, event, receivedAt, requestId } = arrival;
  const target = await targetOf(db, gateway, event);
  const status = statusOf(event, target);
  const entry = await entryOf(db, deps, arrival, target);
  if (!(await createWebhookInboxStore(db).insert({ ...entry, status }))) return 'DUPLICATE';
  if (event.kind === 'unreadable') return status;
  const fact = factOf(event, gateway, receivedAt);
  if (fact === undefined) return status;
  if (target === undefined) await recordUnmatched(db, deps.random, fact);
  else await deps.applyPayment(db, target, fact, infoOf(event.name, gateway, requestId));
  return status;
};

/** Stores an event that can't be applied now, to be tried again; answers its id unless repeated. */
export const keepForLater = async (
  db: Db,
  deps: TakeInDeps,
  arrival: Arrival,
  failure: { error: string; nextAttemptAt: Date },
): Promise<string | undefined> => {
  const target = await targetOf(db, arrival.gateway, arrival.event);
  const entry = await entryOf(db, deps, arrival, target);
  const inserted = await createWebhookInboxStore(db).insert({
    ...entry,
    status: 'PENDING',
    failure,
  });
  return inserted ? entry.id : undefined;
};
