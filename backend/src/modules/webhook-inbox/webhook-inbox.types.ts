import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger, Metrics } from '../../platform/observability/index.ts';

/** The kind of sender. Each has a separate inbox. */
export const inboxSources = ['payment', 'payout', 'kyc'] as const;
export type InboxSource = (typeof inboxSources)[number];

/** APPLIED: everything that follows of the event has happened. PENDING: it waits for a retry. */
export const eventStatuses = ['PENDING', 'APPLIED', 'IGNORED', 'UNMATCHED', 'UNREADABLE'] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** DUPLICATE: the same event is in the inbox already. */
export type ReceiptResult = EventStatus | 'DUPLICATE';

/** An event that can be read, as it was delivered or as it comes back from the inbox. */
interface InboundEvent<E> {
  /** The gateway's or provider's code. */
  readonly gateway: string;
  readonly event: E;
  /** Our time of the delivery, which counts, not the one at which it could be applied. */
  readonly receivedAt: Date;
  /** Of the request that delivered it. It is absent when it is applied later. */
  readonly requestId?: string;
}

/** A delivery whose signature is valid. `event` is undefined where its body can't be read. */
export interface EventDelivery<E> extends Omit<InboundEvent<E>, 'event'> {
  readonly eventId: string | undefined;
  readonly rawBody: Buffer;
  readonly event: E | undefined;
}

/** The columns by which an event is found again in the inbox. */
export interface EventNames {
  readonly eventType: string;
  /** The gateway order, payout or validation that it concerns. */
  readonly subject?: string | undefined;
  readonly gatewayPaymentId?: string | undefined;
  /** Makes two bodies one event, besides event id and body. */
  readonly dedupeKey?: string | undefined;
}

/** Says what an event concerns by what is known now. Handlers add what their `apply` needs. */
export interface EventEffect {
  readonly status: 'APPLIED' | 'IGNORED' | 'UNMATCHED';
  /** The customer whose key seals the event's body. */
  readonly userId?: string | undefined;
}

/** The part of the inbox that the owner of a source writes. */
export interface InboxHandler<E, Effect extends EventEffect> {
  readonly source: InboxSource;
  /** The job that retries one stored event. Its payload is `{eventId}`. */
  readonly applyTask: string;
  namesOf(event: E): EventNames;
  /** Returns a form that JSON can hold. `parse` reads it back. */
  serialize(event: E): object;
  parse(content: unknown): E;
  /** Finds out what the event concerns. Reads only: nothing of it is stored yet. */
  resolve(db: Db, event: InboundEvent<E>): Promise<Effect>;
  /**
   * Writes what follows of the event, in the transaction that stores it. Returns its status, which
   * may differ from what was resolved: everything is read again under the locks.
   */
  apply(tx: Db, effect: Effect): Promise<EventStatus>;
  /** Runs after the transaction that applied the event: caches, counters. May run again. */
  committed?(effect: Effect): Promise<void>;
  /** Lists UNMATCHED events received since then whose subject is known by now, oldest first. */
  listMatchable(db: Db, receivedFrom: Date, limit: number): Promise<string[]>;
}

export interface InboxDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly logger: Logger;
  /** Observes an event that was applied. Nothing is counted without. */
  readonly observeEvent?: Metrics['observeEvent'];
}

/** The inbox of one source: what all of its steps need. */
export interface Inbox<E, Effect extends EventEffect> extends InboxDeps {
  readonly handler: InboxHandler<E, Effect>;
}
