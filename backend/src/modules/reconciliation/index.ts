export { createReconciliation, type ReconciliationDeps } from './create-reconciliation.ts';
export {
  atOneMoment,
  databaseRules,
  findBrokenRules,
  type BrokenRule,
} from './database-rules/find-broken-rules.ts';
export { readMoneyPlaces, type MoneyPlaces } from './database-rules/money-places.ts';
export { createProveHoldings } from './prove-holdings.ts';
export { checkIds, type CheckId, type Report } from './reconciliation.types.ts';
