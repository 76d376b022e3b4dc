export { countOutdatedNotes, resealNotes } from './reseal-notes.ts';
export { countOutdatedTickets, resealTickets } from './reseal-tickets.ts';
export { keepOpenTickets } from './keep-open-tickets.ts';
export { dueSoonDays } from './support.types.ts';
export { createTicketPurge } from './support.sweeps.ts';
export { createSupportAdminRoutes } from './support.admin.routes.ts';
export { createSupportCustomerRoutes } from './support.customer.routes.ts';
