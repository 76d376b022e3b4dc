export { countOutdatedTickets, resealTickets } from './reseal-tickets.ts';
export { createTicketPurge } from './purge-tickets.ts';
export { createSupportRoutes } from './support.customer.routes.ts';
