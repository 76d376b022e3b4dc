export { createReconciliation } from './create-reconciliation.ts';
export { createFetcher, toFetched, type FetchLimits } from './fetch-each.ts';
export { runLimitsOf } from './run-limits.ts';
export { createRead } from './create-read.ts';
export { driftPlaces } from './database-rules/drift.ts';
export {
  atOneMoment,
  databaseRules,
  findBrokenRules,
  invariantNumbers,
} from './database-rules/find-broken-rules.ts';
export { readNewestFindings } from './newest-findings.ts';
export { readMoneyPlaces } from './database-rules/money-places.ts';
export { createProveHoldingsSweep } from './reconciliation.sweeps.ts';
export { createReconciliationPurges } from './reconciliation.sweeps.ts';
export { checkIds, type CheckId } from './reconciliation.types.ts';
