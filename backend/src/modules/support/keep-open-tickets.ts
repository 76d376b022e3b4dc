import { addMs } from '../../platform/clock/clock.ts';
import type { Sealer, Vault } from '../../platform/crypto/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { openTicketStatuses } from './support.types.ts';
import {
  messageContext,
  noteContext,
  openText,
  strangersMs,
  ticketContext,
} from './ticket-sealing.ts';

type Vaults = Pick<Vault, 'forUsers' | 'service'>;
type Context = ReturnType<typeof noteContext>;

/**
 * Seals a text of the customer's with the service key. Returns null where there is nothing to read.
 */
type Reseal = (sealed: string | null, context: Context) => string | null;

const createReseal =
  (own: Sealer | undefined, { service }: Vaults): Reseal =>
  (sealed, context) => {
    const text = openText(own, sealed, context);
    return text === null ? null : service.seal(text, context);
  };

const keepTicket = async (tx: Db, id: string, reseal: Reseal, purgeAfter: Date): Promise<void> => {
  const ticket = await tx.supportTicket.findUniqueOrThrow({ where: { id } });
  const of = (name: string, sealed: string | null) => reseal(sealed, ticketContext(name, id));
  await tx.supportTicket.updateMany({
    where: { id },
    data: {
      nameSealed: of('name', ticket.nameSealed),
      emailSealed: of('email', ticket.emailSealed),
      phoneSealed: of('phone', ticket.phoneSealed),
      subjectSealed: of('subject', ticket.subjectSealed),
      messageSealed: of('message', ticket.messageSealed),
      purgeAfter,
    },
  });
  const own = { ticketId: id, purgeAfter: null };
  for (const message of await tx.supportTicketMessage.findMany({ where: own })) {
    const bodySealed = reseal(message.bodySealed, messageContext(message.id));
    await tx.supportTicketMessage.updateMany({
      where: { id: message.id },
      data: { bodySealed, purgeAfter },
    });
  }
  for (const event of await tx.supportTicketEvent.findMany({ where: own })) {
    if (event.noteSealed === null) continue;
    const noteSealed = reseal(event.noteSealed, noteContext(event.id));
    await tx.supportTicketEvent.updateMany({
      where: { id: event.id },
      data: { noteSealed, purgeAfter },
    });
  }
};

/**
 * Keeps the open tickets of a customer whose account is deleted, before their key is destroyed:
 * what is theirs is sealed with the service key, and erased 30 days after the ticket is resolved. A
 * grievance has to be answered, whatever became of the account. The caller has locked the customer.
 */
export const keepOpenTickets = async (
  { vault }: { readonly vault: Vaults },
  tx: Db,
  { userId, at }: { readonly userId: string; readonly at: Date },
): Promise<void> => {
  const rows = await selectRows<{ id: string }>(
    tx,
    sql`
      SELECT id::text AS id FROM support_ticket
      WHERE user_id = ${userId}::uuid AND status = ANY (${[...openTicketStatuses]}::text[])
        AND purge_after IS NULL ORDER BY id FOR UPDATE`,
  );
  if (rows.length === 0) return;
  const reseal = createReseal((await vault.forUsers(tx, [userId])).get(userId), vault);
  const purgeAfter = addMs(at, strangersMs);
  for (const { id } of rows) await keepTicket(tx, id, reseal, purgeAfter);
};
