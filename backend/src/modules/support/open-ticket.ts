import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { DataKeyDestroyedError, type Sealer, type Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { dueAtOf } from './due-date.ts';
import { insertTicket } from './support.store.ts';
import type { TicketContent } from './support.types.ts';
import { strangersMs, ticketContext } from './ticket-sealing.ts';

/** Letters and digits that are not easily confused: no 0 and O, no 1, I and L. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const referenceLength = 8;

interface OpenTicketDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUser' | 'service'>;
  /** TICKET_ANSWER_DAYS: of tickets that are no grievance. */
  readonly contactDays: number;
}

const makeReference = (random: Pick<Random, 'int'>): string => {
  const letter = (): string => alphabet.charAt(random.int(alphabet.length));
  return `DG-${Array.from({ length: referenceLength }, letter).join('')}`;
};

/** Returns undefined where there is no customer, or where the customer's key is destroyed. */
const customersSealer = async (
  { db, vault }: OpenTicketDeps,
  userId: string | undefined,
): Promise<Sealer | undefined> => {
  if (userId === undefined) return undefined;
  try {
    return await vault.forUser(db, userId);
  } catch (error) {
    if (error instanceof DataKeyDestroyedError) return undefined;
    throw error;
  }
};

const maxAttempts = 8;

/**
 * Opens a ticket and returns its reference. Its text is sealed with the key of the signed-in
 * customer. Without a customer it is sealed with the service key, and erased 30 days after the
 * ticket was resolved.
 */
export const openTicket = async (
  deps: OpenTicketDeps,
  content: TicketContent,
  signedInUserId: string | undefined,
): Promise<string> => {
  const { db, clock, random, vault } = deps;
  const own = await customersSealer(deps, signedInUserId);
  const sealer = own ?? vault.service;
  const at = clock.now();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const [id, reference] = [random.uuid(), makeReference(random)];
    const seal = (name: string, text: string): string => sealer.seal(text, ticketContext(name, id));
    const isNew = await insertTicket(db, {
      id,
      reference,
      userId: own === undefined ? null : (signedInUserId ?? null),
      category: content.category,
      nameSealed: seal('name', content.name),
      emailSealed: content.email === undefined ? null : seal('email', content.email),
      phoneSealed: content.phone === undefined ? null : seal('phone', content.phone),
      subjectSealed: seal('subject', content.subject),
      messageSealed: seal('message', content.message),
      purgeAfter: own === undefined ? addMs(at, strangersMs) : null,
      dueAt: dueAtOf(content.category, at, deps),
      createdAt: at,
    });
    if (isNew) return reference;
  }
  throw new Error(`no free reference in ${maxAttempts} attempts`);
};
