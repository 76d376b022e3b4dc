import { z } from 'zod';
import { exampleOf, idInput, pageOf, pageQuery, plainText } from '../../platform/http/index.ts';
import { operatorReference } from '../admins/index.ts';
import { messageAuthors, ticketCategories, ticketStatuses } from './support.types.ts';

export const ticketsQuery = pageQuery.extend({
  status: z.enum(ticketStatuses).optional(),
  category: z.enum(ticketCategories).optional(),
  assignee: z
    .union([z.literal('none'), idInput])
    .optional()
    .describe("An operator's id, or `none` for unassigned tickets."),
  due: z
    .enum(['soon', 'overdue'])
    .optional()
    .describe(
      '`soon` for open tickets due within three days, `overdue` for open tickets past their due date.',
    ),
  q: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9-]{2,64}$/u, "must be a part of a reference, or a user's id")
    .optional()
    .describe(
      "A part of a reference, or a customer's id. The content of tickets cannot be searched.",
    ),
});

export const ticketPatch = z.object({
  status: z.enum(ticketStatuses),
  note: plainText(5000).optional().describe('A note that only operators can see.'),
  answer: plainText(5000).optional().describe('A message to the customer, who is notified.'),
});
ticketPatch.register(z.globalRegistry, {
  id: 'UpdateTicketRequest',
  examples: [
    { status: 'RESOLVED', note: 'Sent again.', answer: 'Your payout was sent again today.' },
  ],
});

export type TicketPatch = z.output<typeof ticketPatch>;

export const operatorMessage = z.object({ message: plainText(5000) });
operatorMessage.register(z.globalRegistry, {
  id: 'AnswerTicketRequest',
  examples: [{ message: 'We asked the bank, and will write again tomorrow.' }],
});

export const assigneeBody = z.object({
  adminId: idInput.nullable().describe('The id of the operator. Null removes the assignee.'),
});
assigneeBody.register(z.globalRegistry, {
  id: 'AssignTicketRequest',
  examples: [{ adminId: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98' }],
});

const ticketSummary = z.object({
  reference: z.string(),
  category: z.enum(ticketCategories),
  status: z.enum(ticketStatuses),
  userId: z
    .uuid()
    .nullable()
    .describe('The customer who wrote the ticket. Null if it was written without signing in.'),
  subject: z.string().nullable().describe('The subject. Null once the ticket is erased.'),
  assignee: operatorReference.nullable(),
  dueAt: z.iso.datetime().nullable(),
  overdue: z.boolean().describe('True for an open ticket whose due date has passed.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
ticketSummary.register(z.globalRegistry, {
  id: 'TicketSummary',
  description: "A ticket in the operators' list.",
  examples: [
    {
      reference: 'DG-7K3M9QXP',
      category: 'CONTACT',
      status: 'RESOLVED',
      userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      subject: 'My payout',
      assignee: { id: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98', email: 'operator@example.test' },
      dueAt: '2026-01-22T09:30:00.000Z',
      overdue: false,
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
  actor: operatorReference
    .nullable()
    .describe('The operator who changed the status. Null if a reply of the customer did.'),
  note: z.string().nullable(),
});
noteView.register(z.globalRegistry, {
  id: 'TicketNote',
  description: "A change of the status of a ticket, with the operator's note.",
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

const messageView = z.object({
  at: z.iso.datetime(),
  author: z.enum(messageAuthors),
  actor: operatorReference
    .nullable()
    .describe("The operator who wrote the message. Null for the customer's own messages."),
  text: z.string().nullable(),
});
messageView.register(z.globalRegistry, {
  id: 'TicketMessage',
  description: 'A message of a ticket, with the operator if one wrote it.',
  examples: [
    {
      at: '2026-01-15T09:31:00.000Z',
      author: 'OPERATOR',
      actor: { id: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98', email: 'operator@example.test' },
      text: 'Your payout was sent again today.',
    },
  ],
});

export const ticketView = ticketSummary.extend({
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  message: z.string().nullable(),
  messages: z.array(messageView).describe('The newest 200 messages after the first.'),
  notes: z.array(noteView),
});
ticketView.register(z.globalRegistry, {
  id: 'Ticket',
  description: 'A ticket as operators see it, with its messages and notes, oldest first.',
  examples: [
    {
      ...exampleOf(ticketSummary),
      name: 'Asha Rao',
      email: 'asha@example.test',
      phone: '+919812345678',
      message: 'My payout of yesterday has not arrived.',
      messages: [exampleOf(messageView)],
      notes: [exampleOf(noteView)],
    },
  ],
});

export type TicketDetail = z.output<typeof ticketView>;
