import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { maskedEmail, maskedName, maskedPhone } from '../customers/mask.ts';
import { askAdmin, given, listRows, pageOf, printRow } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import type { TicketStatus } from './ticket-statuses.ts';

/** A ticket in a list. */
const ticketRow = z.object({
  reference: z.string(),
  category: z.string(),
  status: z.string(),
  userId: z.string().nullable(),
  subject: z.string().nullable(),
  assignee: z.object({ email: z.string() }).nullable(),
  dueAt: z.string().nullable(),
  overdue: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
type TicketRow = z.infer<typeof ticketRow>;

/** A page of tickets. */
export const ticketPage = pageOf(ticketRow);

/** A ticket with its messages and notes. The writer's data is masked, including in JSON. */
export const ticketForm = ticketRow.extend({
  name: z.string().nullable().transform(maskedName),
  email: z.string().nullable().transform(maskedEmail),
  phone: z.string().nullable().transform(maskedPhone),
  message: z.string().nullable(),
  messages: z.array(
    z.object({
      at: z.string(),
      author: z.string(),
      actor: z.object({ email: z.string() }).nullable(),
      text: z.string().nullable(),
    }),
  ),
  notes: z.array(
    z.object({
      at: z.string(),
      from: z.string(),
      to: z.string(),
      actor: z.object({ email: z.string() }).nullable(),
      note: z.string().nullable(),
    }),
  ),
});
type Ticket = z.infer<typeof ticketForm>;

const columns = {
  ticket: ({ reference }: TicketRow) => reference,
  category: ({ category }: TicketRow) => category,
  status: ({ status }: TicketRow) => status,
  customer: ({ userId }: TicketRow) => userId ?? '-',
  subject: ({ subject }: TicketRow) => subject ?? '-',
  assignee: ({ assignee }: TicketRow) => assignee?.email ?? '-',
  due: ({ dueAt, overdue }: TicketRow) => `${dueAt ?? '-'}${overdue ? ' (overdue)' : ''}`,
  created: ({ createdAt }: TicketRow) => createdAt,
};

const print = (deps: CliDeps, command: Command, ticket: Ticket): void =>
  printRow<TicketRow>(deps, command, ticket, {
    columns,
    more: [
      ['from', [ticket.name, ticket.email, ticket.phone].filter(Boolean).join(', ') || '-'],
      ['message', ticket.message ?? '-'],
      ...ticket.messages.map(
        ({ at, author, actor, text }) => [at, `${actor?.email ?? author}: ${text ?? '-'}`] as const,
      ),
      ...ticket.notes.map(
        ({ at, from, to, actor, note }) =>
          [at, `${from} to ${to}, ${actor?.email ?? 'the customer'}: ${note ?? '-'}`] as const,
      ),
    ],
  });

export interface ListOptions extends Paging {
  readonly status?: TicketStatus;
  readonly query?: string;
  readonly due?: 'soon' | 'overdue';
}

/** Prints tickets, newest first. */
export const listTickets = (
  deps: CliDeps,
  { status, query: q, due, page, limit }: ListOptions,
  command: Command,
): Promise<void> =>
  listRows(deps, command, ticketPage, {
    send: (client) =>
      client.get('/v1/support/tickets', { query: given({ page, limit, status, q, due }) }),
    columns,
    none: 'There are no such tickets.',
  });

/** Prints one ticket with its messages and notes. */
export const showTicket = async (
  deps: CliDeps,
  reference: string,
  command: Command,
): Promise<void> => {
  const ticket = await askAdmin(deps, command, ticketForm, (client) =>
    client.get('/v1/support/tickets/{reference}', { path: { reference } }),
  );
  print(deps, command, ticket);
};

export interface AnswerOptions {
  readonly status: TicketStatus;
  readonly note?: string;
  readonly message?: string;
}

/** Changes a ticket's status, with a note for operators and a message to the customer. */
export const answerTicket = async (
  deps: CliDeps,
  reference: string,
  { status, note, message: answer }: AnswerOptions,
  command: Command,
): Promise<void> => {
  const body = { status, ...given({ note, answer }) };
  const ticket = await askAdmin(deps, command, ticketForm, (client) =>
    client.patch('/v1/support/tickets/{reference}', { path: { reference }, body }),
  );
  print(deps, command, ticket);
};
