import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger, Metrics } from '../../platform/observability/index.ts';

/** The kinds of senders. Each kind has a separate inbox. */
export const inboxSources = ['payment', 'payout', 'kyc'] as const;
export type InboxSource = (typeof inboxSources)[number];

/**
 * The states of a stored event. PENDING: it could not be applied and waits for a retry. APPLIED: its
 * effect is committed. IGNORED: it has no effect. UNMATCHED: its subject is not known yet.
 * UNREADABLE: its body can't be read.
 */
export const eventStatuses = ['PENDING', 'APPLIED', 'IGNORED', 'UNMATCHED', 'UNREADABLE'] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** The result of a delivery: the event's status, or DUPLICATE if the inbox already has the event. */
export type ReceiptResult = EventStatus | 'DUPLICATE';

/** A readable event, from its delivery or from the inbox. */
interface InboundEvent<E> {
  /** The gateway's or provider's code. */
  readonly gateway: string;
  readonly event: E;
  /** The time of the delivery by our clock. It counts even if the event is applied later. */
  readonly receivedAt: Date;
  /** The id of the request that delivered the event. Absent if the event is applied later. */
  readonly requestId?: string;
}

/** A delivery whose signature is valid. `event` is undefined if the body can't be read. */
export interface EventDelivery<E> extends Omit<InboundEvent<E>, 'event'> {
  readonly eventId: string | undefined;
  readonly rawBody: Buffer;
  readonly event: E | undefined;
}

/** The columns by which an event can be found in the inbox. */
export interface EventNames {
  readonly eventType: string;
  /** The id of the gateway order, payout or validation that the event concerns. */
  readonly subject?: string | undefined;
  readonly gatewayPaymentId?: string | undefined;
  /** A key that is the same for repeats of an event whose ids and bodies differ. */
  readonly dedupeKey?: string | undefined;
}

/** The effect of an event, by the data that is stored now. Handlers add fields for their `apply`. */
export interface EventEffect {
  readonly status: 'APPLIED' | 'IGNORED' | 'UNMATCHED';
  /** The customer whose key seals the event's body. */
  readonly userId?: string | undefined;
}

/** The functions of an inbox that differ by source. */
export interface InboxHandler<E, Effect extends EventEffect> {
  readonly source: InboxSource;
  /** The job that retries one stored event. Its payload is `{eventId}`. */
  readonly applyTask: string;
  namesOf(event: E): EventNames;
  /** Returns a form that JSON can hold. `parse` reads it back. */
  serialize(event: E): object;
  parse(content: unknown): E;
  /** Finds the subject of the event. It only reads, because the event is not stored yet. */
  resolve(db: Db, event: InboundEvent<E>): Promise<Effect>;
  /**
   * Writes the effect of the event, in the transaction that stores it, and returns the event's
   * status. The status may differ from the resolved one, since everything is read again under the
   * locks.
   */
  apply(tx: Db, effect: Effect): Promise<EventStatus>;
  /** Updates caches and counters after the commit. It may run more than once for an event. */
  afterCommit?(effect: Effect): Promise<void>;
  /** Lists UNMATCHED events, received since `receivedFrom`, whose subject has become known. */
  listMatchable(db: Db, receivedFrom: Date, limit: number): Promise<string[]>;
}

export interface InboxDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly logger: Logger;
  /** Observes an event that was applied. If it is absent, nothing is counted. */
  readonly observeEvent?: Metrics['observeEvent'];
}

/** The dependencies and the handler of the inbox of one source. */
export interface Inbox<E, Effect extends EventEffect> extends InboxDeps {
  readonly handler: InboxHandler<E, Effect>;
}
