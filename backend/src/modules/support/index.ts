export { createTicketPurge } from './purge-tickets.ts';
export { createSupportRoutes } from './support.customer.routes.ts';
