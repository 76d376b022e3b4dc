export { createRegisterRoutes } from './registers.accounting.routes.ts';
export { registerTotals, type RegisterTotals } from './register-totals.read-model.ts';
