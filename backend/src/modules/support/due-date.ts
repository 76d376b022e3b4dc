import { addMs } from '../../platform/clock/clock.ts';
import { openTicketStatuses, type TicketCategory, type TicketStatus } from './support.types.ts';

const dayMs = 24 * 60 * 60_000;

/** The time in which the law wants a grievance to be answered. */
const grievanceDays = 30;

/** Returns the moment by which a ticket is to be resolved (contract: operators > Tickets). */
export const dueAtOf = (
  category: TicketCategory,
  openedAt: Date,
  { contactDays }: { readonly contactDays: number },
): Date => addMs(openedAt, (category === 'GRIEVANCE' ? grievanceDays : contactDays) * dayMs);

/** Returns true for a ticket that still waits for the house after its due date. */
export const isOverdue = (
  { status, dueAt }: { readonly status: TicketStatus; readonly dueAt: Date | null },
  now: Date,
): boolean =>
  dueAt !== null && dueAt <= now && openTicketStatuses.some((waiting) => waiting === status);
