export { registerTotals, type RegisterTotals } from './register-totals.read-model.ts';
export type { Period } from './period.ts';
