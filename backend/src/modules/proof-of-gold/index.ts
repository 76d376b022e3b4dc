export { createProofOfGold } from './create-proof-of-gold.ts';
export { createProofGauge } from './proof-gauge.ts';
export { createProofAccountingRoutes } from './proof.accounting.routes.ts';
export { createProofAdminRoutes } from './proof.admin.routes.ts';
export { createProofCustomerRoutes } from './proof.customer.routes.ts';
export { createProofPurges } from './proof.sweeps.ts';
export { readSigningKeys, signingKeyList } from './signing-keys.ts';
