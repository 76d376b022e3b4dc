import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { DataKeyDestroyedError, type Sealer, type Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { dueAtOf } from './due-date.ts';
import { insertTicket } from './support.store.ts';
import type { TicketContent } from './support.types.ts';
import { serviceSealedLifeMs, ticketContext } from './ticket-sealing.ts';

/** Letters and digits that are not easily confused. It has no 0 and O, and no 1, I and L. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const referenceLength = 8;

interface OpenTicketDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUser' | 'service'>;
  /** TICKET_ANSWER_DAYS, the days until a ticket is due that is not a grievance. */
  readonly contactDays: number;
}

const makeReference = (random: Pick<Random, 'int'>): string => {
  const letter = (): string => alphabet.charAt(random.int(alphabet.length));
  return `DG-${Array.from({ length: referenceLength }, letter).join('')}`;
};

/** Returns the customer's sealer, or undefined without a customer or if the customer's key is destroyed. */
const findCustomerSealer = async (
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
 * Opens a ticket and returns its reference. The texts are sealed with the key of the signed-in customer.
 * Without a customer they are sealed with the service key, and erased 30 days after the ticket is
 * resolved.
 */
export const openTicket = async (
  deps: OpenTicketDeps,
  content: TicketContent,
  signedInUserId: string | undefined,
): Promise<string> => {
  const { db, clock, random, vault } = deps;
  const customerSealer = await findCustomerSealer(deps, signedInUserId);
  const sealer = customerSealer ?? vault.service;
  const createdAt = clock.now();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const [id, reference] = [random.uuid(), makeReference(random)];
    const seal = (name: string, text: string): string => sealer.seal(text, ticketContext(name, id));
    const isNew = await insertTicket(db, {
      id,
      reference,
      userId: customerSealer === undefined ? null : (signedInUserId ?? null),
      category: content.category,
      nameSealed: seal('name', content.name),
      emailSealed: content.email === undefined ? null : seal('email', content.email),
      phoneSealed: content.phone === undefined ? null : seal('phone', content.phone),
      subjectSealed: seal('subject', content.subject),
      messageSealed: seal('message', content.message),
      purgeAfter: customerSealer === undefined ? addMs(createdAt, serviceSealedLifeMs) : null,
      dueAt: dueAtOf(content.category, createdAt, deps),
      createdAt,
    });
    if (isNew) return reference;
  }
  throw new Error(`no free reference in ${maxAttempts} attempts`);
};
