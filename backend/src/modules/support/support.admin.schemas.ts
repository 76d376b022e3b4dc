import { z } from 'zod';
import { pageOf, pageQuery, plainText } from '../../platform/http/index.ts';
import { ticketCategories, ticketStatuses } from './support.types.ts';

export const ticketsQuery = pageQuery.extend({
  status: z.enum(ticketStatuses).optional(),
  category: z.enum(ticketCategories).optional(),
  q: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9-]{2,64}$/u, "must be a part of a reference, or a user's id")
    .optional()
    .describe("A part of a reference, or a user's id: the rest of a ticket is sealed."),
});

export const ticketPatch = z.object({
  status: z.enum(ticketStatuses),
  note: plainText(5000).optional(),
});

export type TicketPatch = z.output<typeof ticketPatch>;

const ticketSummary = z.object({
  reference: z.string(),
  category: z.enum(ticketCategories),
  status: z.enum(ticketStatuses),
  userId: z.uuid().nullable().describe('Null where nobody was signed in.'),
  subject: z.string().nullable().describe('Null once it is erased.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
ticketSummary.register(z.globalRegistry, {
  id: 'TicketSummary',
  description: 'A ticket in the list of operators.',
});

export type TicketSummary = z.output<typeof ticketSummary>;

export const ticketPage = pageOf(ticketSummary);

export const ticketView = ticketSummary.extend({
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  message: z.string().nullable(),
  notes: z.array(
    z.object({
      at: z.iso.datetime(),
      from: z.string(),
      to: z.string(),
      actor: z.object({ id: z.uuid(), email: z.string() }),
      note: z.string().nullable(),
    }),
  ),
});
ticketView.register(z.globalRegistry, {
  id: 'Ticket',
  description: 'A ticket as operators see it, with what each of them did, oldest first.',
});

export type TicketDetail = z.output<typeof ticketView>;
