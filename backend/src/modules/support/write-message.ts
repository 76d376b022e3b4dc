import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transitionTicket } from './support.states.ts';
import { lockTicket, markTicketChanged } from './support.store.ts';
import { insertMessage, lockCustomerForShare } from './ticket-messages.store.ts';
import { chooseSealer, messageContext } from './ticket-sealing.ts';

export interface WriteMessageDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUsers' | 'service'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

const closedMessage = 'This ticket is closed. Please open a new one.';

/**
 * Adds a message of the ticket's author. A RESOLVED ticket changes to IN_PROGRESS, so that support replies
 * again.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the ticket is CLOSED
 */
export const writeMessage = (
  { inTransaction, clock, random, vault, logger }: WriteMessageDeps,
  input: { readonly reference: string; readonly message: string; readonly requestId: string },
): Promise<void> =>
  inTransaction(async (tx) => {
    const { reference, message, requestId } = input;
    await lockCustomerForShare(tx, reference);
    const ticket = await lockTicket(tx, reference);
    if (ticket === undefined) throw new AppError('NOT_FOUND');
    const { id: ticketId, status, userId } = ticket;
    if (status === 'CLOSED') {
      throw new AppError('ILLEGAL_TRANSITION', { message: closedMessage, details: { status } });
    }
    const [at, id] = [clock.now(), random.uuid()];
    const { sealer, purgeAfter } = await chooseSealer(vault, tx, { ticket, at });
    const bodySealed = sealer.seal(message, messageContext(id));
    await insertMessage(tx, {
      id,
      ticketId,
      author: 'CUSTOMER',
      adminId: null,
      bodySealed,
      purgeAfter,
      at,
    });
    if (status !== 'RESOLVED') {
      await markTicketChanged(tx, ticketId, at);
      return;
    }
    await transitionTicket({ logger }, tx, ticket, {
      to: 'IN_PROGRESS',
      actor: `customer:${userId ?? 'signed-out'}`,
      cause: 'ticket.written-again',
      at,
      event: { id: random.uuid(), actorId: null, requestId },
    });
  });
