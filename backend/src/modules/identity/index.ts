export { createIdentity, type Identity, type IdentityDeps } from './create-identity.ts';
export {
  customerAccess,
  isActive,
  type ActiveUser,
  type CustomerPrincipal,
  type User,
} from './identity.types.ts';
export { createCodeMetrics } from './one-time-codes.metrics.ts';
export { phoneSchema } from './phone.ts';
export { createSessionPurges } from './purge-sessions.ts';
export { renewIdentityKeyed } from './renew-keyed.ts';
export { purgeLapsedIdentity } from './purge-lapsed.ts';
export { announceEnd as announceSessionsEnd } from './sessions.ts';
export { revokeEverySession } from './sessions.store.ts';
export { findUser, setProviderUserId } from './users.store.ts';
