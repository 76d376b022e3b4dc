import { Command, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging } from '../desk/paging.ts';
import type { AnswerOptions, ListOptions } from '../tickets/ticket-actions.ts';
import { ticketStatuses } from '../tickets/ticket-statuses.ts';

const load = () => import('../tickets/ticket-actions.ts');

const help = `
A ticket goes from OPEN to IN_PROGRESS, RESOLVED and CLOSED, and from RESOLVED back to IN_PROGRESS.
Its writer sees the status and the messages, and no note.

Examples:
  $ goldctl ticket list --status OPEN
  $ goldctl ticket list --due overdue
  $ goldctl ticket answer T-7K2M9Q --status RESOLVED --message "It was sent again."`;

/** Creates `goldctl ticket`, which shows support tickets and changes their status. */
export const createTicketCommand = (deps: CliDeps): Command => {
  const ticket = new Command('ticket').addHelpText('after', help);
  withPaging(ticket.command('list'))
    .description('list tickets, the newest first')
    .addOption(new Option('--status <status>', 'only these').choices(ticketStatuses))
    .addOption(
      new Option('--due <when>', 'open ones that are due then').choices(['soon', 'overdue']),
    )
    .option('--query <text>', "a part of the reference, or a customer's id")
    .action(async (own: ListOptions, self: Command) => (await load()).listTickets(deps, own, self));
  ticket
    .command('show')
    .description('show a ticket with its messages and notes')
    .argument('<reference>', "the ticket's reference")
    .action(async (reference: string, _options: unknown, self: Command) =>
      (await load()).showTicket(deps, reference, self),
    );
  ticket
    .command('answer')
    .description('set the status of a ticket, with a note or a message to the customer')
    .argument('<reference>', "the ticket's reference")
    .addOption(
      new Option('--status <status>', 'the next status')
        .choices(ticketStatuses)
        .makeOptionMandatory(),
    )
    .option('--note <text>', 'a note for the other operators')
    .option('--message <text>', 'a message to the customer')
    .action(async (reference: string, own: AnswerOptions, self: Command) =>
      (await load()).answerTicket(deps, reference, own, self),
    );
  return ticket;
};
