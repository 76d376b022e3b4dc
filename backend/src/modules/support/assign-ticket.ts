import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import { adminActor, findAdmin, type ByOperator } from '../admins/index.ts';
import type { AnswerTicketDeps } from './answer-ticket.ts';
import { assignTicket, lockTicket } from './support.store.ts';

/**
 * Assigns a ticket to an operator, or removes the assignee if `adminId` is null. The audit row is written
 * in the same transaction.
 * @throws AppError NOT_FOUND, and VALIDATION_FAILED if `adminId` is not the id of an active operator
 */
export const setAssignee = (
  { inTransaction, clock, audit }: AnswerTicketDeps,
  { reference, adminId }: { readonly reference: string; readonly adminId: string | null },
  { principal, context }: ByOperator,
): Promise<void> =>
  inTransaction(async (tx) => {
    const ticket = await lockTicket(tx, reference);
    if (ticket === undefined) throw new AppError('NOT_FOUND');
    if (adminId !== null && (await findAdmin(tx, adminId))?.active !== true) {
      throw validationError([
        { field: 'adminId', message: 'must be the id of an active operator' },
      ]);
    }
    if (ticket.assigneeId === adminId) return;
    await assignTicket(tx, ticket.id, { assigneeId: adminId, at: clock.now() });
    await audit.record(tx, {
      action: 'support.tickets.assign',
      ...adminActor(principal, context),
      target: { type: 'support_ticket', id: reference },
      before: { assigneeId: ticket.assigneeId },
      after: { assigneeId: adminId },
    });
  });
