import { addMs } from '../../platform/clock/clock.ts';
import { openTicketStatuses, type TicketCategory, type TicketStatus } from './support.types.ts';

const dayMs = 24 * 60 * 60_000;

/** The number of days in which the law requires an answer to a grievance. */
const grievanceDays = 30;

/** Returns the time by which a ticket must be resolved (contract: operators > Tickets). */
export const dueAtOf = (
  category: TicketCategory,
  openedAt: Date,
  { contactDays }: { readonly contactDays: number },
): Date => addMs(openedAt, (category === 'GRIEVANCE' ? grievanceDays : contactDays) * dayMs);

/** Returns true if a ticket is past its due date and is not resolved. */
export const isOverdue = (
  { status, dueAt }: { readonly status: TicketStatus; readonly dueAt: Date | null },
  now: Date,
): boolean =>
  dueAt !== null && dueAt <= now && openTicketStatuses.some((openStatus) => openStatus === status);
