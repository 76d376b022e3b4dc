export { countOutdatedNotes, resealNotes } from './reseal-notes.ts';
export { countOutdatedTickets, resealTickets } from './reseal-tickets.ts';
export { createTicketPurge } from './support.store.ts';
export { createSupportAdminRoutes } from './support.admin.routes.ts';
export { createSupportRoutes } from './support.customer.routes.ts';
