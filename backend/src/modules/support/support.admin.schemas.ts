import { z } from 'zod';
import { exampleOf, pageOf, pageQuery, plainText } from '../../platform/http/index.ts';
import { operatorReference } from '../admins/index.ts';
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
ticketPatch.register(z.globalRegistry, {
  id: 'UpdateTicketRequest',
  examples: [{ status: 'RESOLVED', note: 'The payout has arrived.' }],
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
  examples: [
    {
      reference: 'DG-7K3M9QXP',
      category: 'CONTACT',
      status: 'RESOLVED',
      userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      subject: 'My payout',
      createdAt: '2026-01-15T09:30:00.000Z',
      updatedAt: '2026-01-15T09:31:00.000Z',
    },
  ],
});

export type TicketSummary = z.output<typeof ticketSummary>;

export const ticketPage = pageOf(ticketSummary);

const noteView = z.object({
  at: z.iso.datetime(),
  from: z.string(),
  to: z.string(),
  actor: operatorReference,
  note: z.string().nullable(),
});
noteView.register(z.globalRegistry, {
  id: 'TicketNote',
  description: 'A change of the status of a ticket, and what the operator noted about it.',
  examples: [
    {
      at: '2026-01-15T09:31:00.000Z',
      from: 'OPEN',
      to: 'RESOLVED',
      actor: { id: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98', email: 'operator@example.test' },
      note: 'The payout has arrived.',
    },
  ],
});

export const ticketView = ticketSummary.extend({
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  message: z.string().nullable(),
  notes: z.array(noteView),
});
ticketView.register(z.globalRegistry, {
  id: 'Ticket',
  description: 'A ticket as operators see it, with what each of them did, oldest first.',
  examples: [
    {
      ...exampleOf(ticketSummary),
      name: 'Asha Rao',
      email: 'asha@example.test',
      phone: '+919812345678',
      message: 'My payout of yesterday has not arrived.',
      notes: [exampleOf(noteView)],
    },
  ],
});

export type TicketDetail = z.output<typeof ticketView>;
