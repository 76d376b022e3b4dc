import { addMs } from '../../platform/clock/clock.ts';
import type { Sealer, Vault } from '../../platform/crypto/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { openTicketStatuses } from './support.types.ts';
import {
  messageContext,
  noteContext,
  openText,
  serviceSealedLifeMs,
  ticketContext,
} from './ticket-sealing.ts';

type Vaults = Pick<Vault, 'forUsers' | 'service'>;
type Context = ReturnType<typeof noteContext>;

/**
 * Seals a text with the service key that was sealed with the customer's key. Returns null if the text was
 * erased or can't be opened.
 */
type Reseal = (sealed: string | null, context: Context) => string | null;

const createReseal =
  (customerSealer: Sealer | undefined, { service }: Vaults): Reseal =>
  (sealed, context) => {
    const text = openText(customerSealer, sealed, context);
    return text === null ? null : service.seal(text, context);
  };

const keepTicket = async (tx: Db, id: string, reseal: Reseal, purgeAfter: Date): Promise<void> => {
  const ticket = await tx.supportTicket.findUniqueOrThrow({ where: { id } });
  const resealField = (name: string, sealed: string | null) =>
    reseal(sealed, ticketContext(name, id));
  await tx.supportTicket.updateMany({
    where: { id },
    data: {
      nameSealed: resealField('name', ticket.nameSealed),
      emailSealed: resealField('email', ticket.emailSealed),
      phoneSealed: resealField('phone', ticket.phoneSealed),
      subjectSealed: resealField('subject', ticket.subjectSealed),
      messageSealed: resealField('message', ticket.messageSealed),
      purgeAfter,
    },
  });
  const sealedByCustomer = { ticketId: id, purgeAfter: null };
  for (const message of await tx.supportTicketMessage.findMany({ where: sealedByCustomer })) {
    const bodySealed = reseal(message.bodySealed, messageContext(message.id));
    await tx.supportTicketMessage.updateMany({
      where: { id: message.id },
      data: { bodySealed, purgeAfter },
    });
  }
  for (const event of await tx.supportTicketEvent.findMany({ where: sealedByCustomer })) {
    if (event.noteSealed === null) continue;
    const noteSealed = reseal(event.noteSealed, noteContext(event.id));
    await tx.supportTicketEvent.updateMany({
      where: { id: event.id },
      data: { noteSealed, purgeAfter },
    });
  }
};

/**
 * Keeps the open tickets of a customer whose account is deleted, because a grievance must be answered even
 * after the deletion. Seals their texts with the service key before the customer's key is destroyed. The
 * texts are erased 30 days after the ticket is resolved. The caller has locked the customer.
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
  const purgeAfter = addMs(at, serviceSealedLifeMs);
  for (const { id } of rows) await keepTicket(tx, id, reseal, purgeAfter);
};
