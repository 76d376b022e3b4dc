import { z } from 'zod';
import { emailText, plainLine, plainName, plainText } from '../../platform/http/index.ts';
import { phoneSchema } from '../identity/index.ts';
import { ticketCategories, ticketStatuses } from './support.types.ts';

export const ticketBody = z.object({
  name: plainName(100),
  email: emailText.optional(),
  phone: phoneSchema.optional(),
  category: z.enum(ticketCategories),
  subject: plainLine(200),
  message: plainText(5000),
});
ticketBody.register(z.globalRegistry, {
  id: 'CreateTicketRequest',
  examples: [
    {
      name: 'Asha Rao',
      email: 'asha@example.test',
      phone: '+919812345678',
      category: 'CONTACT',
      subject: 'My payout',
      message: 'My payout of yesterday has not arrived.',
    },
  ],
});

export const createdTicket = z.object({ reference: z.string() });
createdTicket.register(z.globalRegistry, {
  id: 'CreatedTicket',
  description: 'The reference of a new ticket, by which its state is read.',
  examples: [{ reference: 'DG-7K3M9QXP' }],
});

export const referenceParams = z.object({
  reference: z.string().regex(/^DG-[A-HJ-KM-NP-Z2-9]{8}$/u),
});

/** All that a reference shows: whoever has it may not be the one who wrote the ticket. */
export const ticketStatusView = z.object({ status: z.enum(ticketStatuses) });
ticketStatusView.register(z.globalRegistry, {
  id: 'TicketStatus',
  description: 'All that a reference shows of its ticket.',
  examples: [{ status: 'OPEN' }],
});
