import { z } from 'zod';
import {
  emailText,
  exampleOf,
  pageOf,
  plainLine,
  plainName,
  plainText,
} from '../../platform/http/index.ts';
import { phoneSchema } from '../identity/index.ts';
import { messageAuthors, ticketCategories, ticketStatuses } from './support.types.ts';

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
  description: 'The reference of a new ticket, with which its status can be read.',
  examples: [{ reference: 'DG-7K3M9QXP' }],
});

export const referenceParams = z.object({
  reference: z.string().regex(/^DG-[A-HJ-KM-NP-Z2-9]{8}$/u),
});

/**
 * The part of a ticket that is shown to a person who knows only its reference. It has no content, because
 * that person may not be the author.
 */
export const ticketStatusView = z.object({ status: z.enum(ticketStatuses) });
ticketStatusView.register(z.globalRegistry, {
  id: 'TicketStatus',
  description: 'The status of a ticket, without its content.',
  examples: [{ status: 'OPEN' }],
});

const contact = z
  .union([phoneSchema, emailText])
  .optional()
  .describe(
    'The phone number or email address that the ticket has. Not needed with the access token ' +
      'of the customer who wrote it.',
  );

export const threadBody = z.object({ contact });
threadBody.register(z.globalRegistry, {
  id: 'ReadTicketRequest',
  examples: [{ contact: 'asha@example.test' }],
});

export const messageBody = z.object({ message: plainText(5000), contact });
messageBody.register(z.globalRegistry, {
  id: 'WriteToTicketRequest',
  examples: [{ message: 'It has arrived, thank you.', contact: 'asha@example.test' }],
});

const ownTicket = z.object({
  reference: z.string(),
  category: z.enum(ticketCategories),
  status: z.enum(ticketStatuses),
  subject: z.string().nullable().describe('The subject. Null once the ticket is erased.'),
  dueAt: z.iso
    .datetime()
    .nullable()
    .describe('The time by which the ticket is to be resolved. Null if it has no due date.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
ownTicket.register(z.globalRegistry, {
  id: 'OwnTicket',
  description: "A ticket in the customer's own list.",
  examples: [
    {
      reference: 'DG-7K3M9QXP',
      category: 'GRIEVANCE',
      status: 'IN_PROGRESS',
      subject: 'My payout',
      dueAt: '2026-02-14T09:30:00.000Z',
      createdAt: '2026-01-15T09:30:00.000Z',
      updatedAt: '2026-01-15T09:31:00.000Z',
    },
  ],
});
export type OwnTicket = z.output<typeof ownTicket>;

export const ownTicketPage = pageOf(ownTicket);

const threadMessage = z.object({
  at: z.iso.datetime(),
  author: z.enum(messageAuthors).describe('The author. OPERATOR is the support team.'),
  text: z.string().nullable().describe('The text. Null once the message is erased.'),
});
threadMessage.register(z.globalRegistry, {
  id: 'TicketThreadMessage',
  description: 'A message of a ticket.',
  examples: [
    {
      at: '2026-01-15T09:31:00.000Z',
      author: 'OPERATOR',
      text: 'Your payout was sent again today.',
    },
  ],
});

/** A ticket as its author sees it, without operators' names and notes. */
export const threadView = ownTicket.extend({
  messages: z
    .array(threadMessage)
    .describe(
      'The messages, oldest first: that of the ticket itself, then the newest 200 replies.',
    ),
});
threadView.register(z.globalRegistry, {
  id: 'TicketThread',
  description: 'A ticket with the messages between the customer and support.',
  examples: [{ ...exampleOf(ownTicket), messages: [exampleOf(threadMessage)] }],
});
export type TicketThread = z.output<typeof threadView>;
