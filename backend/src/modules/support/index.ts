export { countOutdatedNotes, resealNotes } from './reseal-notes.ts';
export { countOutdatedTickets, resealTickets } from './reseal-tickets.ts';
export { createTicketPurge } from './purge-tickets.ts';
export { createSupportAdminRoutes } from './support.admin.routes.ts';
export { createSupportRoutes } from './support.customer.routes.ts';
