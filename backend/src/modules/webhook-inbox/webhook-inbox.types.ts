import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';

/** Whose webhooks; each has the inbox to itself. */
export type InboxSource = 'payment' | 'payout' | 'kyc';

/** APPLIED: whatever follows of it has followed. PENDING: it waits to be applied. */
export type InboxStatus = 'PENDING' | 'APPLIED' | 'IGNORED' | 'UNMATCHED' | 'UNREADABLE';

/** What became of an arrival. */
export type ArrivalResult = InboxStatus | 'DUPLICATE';

/** An event, now or from the store. */
export interface ReceivedEvent<E> {
  /** The gateway's or provider's code. */
  readonly gateway: string;
  readonly event: E;
  /** When we learned of it, which is what counts, not when it could be applied. */
  readonly receivedAt: Date;
  /** Of the request that brought it; absent when it is applied later. */
  readonly requestId?: string;
}

/** A signed event as it came; `event` is undefined where its body can't be read. */
export interface Arrival<E> extends Omit<ReceivedEvent<E>, 'event'> {
  readonly eventId: string | undefined;
  readonly rawBody: Buffer;
  readonly event: E | undefined;
}

/** How an event is found again in the inbox. */
export interface EventNames {
  readonly eventType: string;
  /** The gateway order, payout or validation that it speaks of. */
  readonly subject?: string | undefined;
  readonly gatewayPaymentId?: string | undefined;
  /** What makes two bodies one event, besides event id and body. */
  readonly dedupeKey?: string | undefined;
}

/** What an event means by what is known now. */
export interface Meaning {
  /** Read before anything is written. */
  readonly status: 'APPLIED' | 'IGNORED' | 'UNMATCHED';
  /** With whose key its body is sealed. */
  readonly userId?: string | undefined;
  /** Makes it so, in the same transaction; may find another status than was read. */
  readonly apply?: () => Promise<InboxStatus | undefined>;
}

/** What the owner of a source knows of its events. */
export interface InboxHandler<E> {
  readonly source: InboxSource;
  /** The job that applies one stored event; its payload is `{eventId}`. */
  readonly applyTask: string;
  namesOf(event: E): EventNames;
  /** A form that JSON can hold, and back. */
  print(event: E): object;
  parse(content: unknown): E;
  interpret(db: Db, received: ReceivedEvent<E>): Promise<Meaning>;
  /** UNMATCHED events received since then whose subject became known, oldest first. */
  listMatchable(db: Db, receivedFrom: Date, limit: number): Promise<string[]>;
}

export interface InboxDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly logger: Logger;
}
