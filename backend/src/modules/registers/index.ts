export { createRegisterRoutes } from './registers.accounting.routes.ts';
export type { Period } from './period.ts';
export { registerTotals, type RegisterTotals } from './register-totals.read-model.ts';
