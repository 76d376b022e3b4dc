import { createHash } from 'node:crypto';
import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { sealBody } from './sealed-body.ts';
import { createWebhookInboxStore, type InboxEntry } from './webhook-inbox.store.ts';
import type {
  Arrival,
  ArrivalResult,
  InboxDeps,
  InboxHandler,
  Meaning,
} from './webhook-inbox.types.ts';

/** Bodies of nobody that is known are kept for so long (decisions, section 4, Deletion). */
const serviceSealedDays = 30;
const dayMs = 24 * 60 * 60_000;

type TakeInDeps<E> = Pick<InboxDeps, 'random' | 'vault'> & { readonly handler: InboxHandler<E> };

const meaningOf = async <E>(
  db: Db,
  { handler }: TakeInDeps<E>,
  { event, ...arrival }: Arrival<E>,
): Promise<Meaning | undefined> =>
  event === undefined ? undefined : handler.interpret(db, { ...arrival, event });

const entryOf = async <E>(
  db: Db,
  deps: TakeInDeps<E>,
  arrival: Arrival<E>,
  userId: string | undefined,
): Promise<Omit<InboxEntry, 'status' | 'failure'>> => {
  const { gateway, eventId, rawBody, event, receivedAt } = arrival;
  const { handler, random, vault } = deps;
  const id = random.uuid();
  const printed = event === undefined ? null : handler.print(event);
  const sealed = await sealBody(vault, db, { id, userId, rawBody, event: printed });
  return {
    id,
    gateway,
    eventId,
    bodyHash: createHash('sha256').update(rawBody).digest('hex'),
    names: event === undefined ? undefined : handler.namesOf(event),
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
export const takeIn = async <E>(
  db: Db,
  deps: TakeInDeps<E>,
  arrival: Arrival<E>,
): Promise<ArrivalResult> => {
  const meaning = await meaningOf(db, deps, arrival);
  const status = meaning?.status ?? 'UNREADABLE';
  const entry = await entryOf(db, deps, arrival, meaning?.userId);
  const store = createWebhookInboxStore(db, deps.handler.source);
  if (!(await store.insert({ ...entry, status }))) return 'DUPLICATE';
  const found = (await meaning?.apply?.()) ?? status;
  if (found !== status) await store.restatus(entry.id, found, arrival.receivedAt);
  return found;
};

/** Stores an event that can't be applied now, to be tried again; answers its id unless repeated. */
export const keepForLater = async <E>(
  db: Db,
  deps: TakeInDeps<E>,
  arrival: Arrival<E>,
  failure: { error: string; nextAttemptAt: Date },
): Promise<string | undefined> => {
  const meaning = await meaningOf(db, deps, arrival);
  const entry = await entryOf(db, deps, arrival, meaning?.userId);
  const store = createWebhookInboxStore(db, deps.handler.source);
  const inserted = await store.insert({ ...entry, status: 'PENDING', failure });
  return inserted ? entry.id : undefined;
};
