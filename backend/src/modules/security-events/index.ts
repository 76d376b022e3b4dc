export {
  countSecurityEvent,
  eraseDeviceIds,
  findSignInHistory,
  recordSecurityEvent,
} from './security-events.store.ts';
export { createSecurityEventPurge } from './security-events.sweeps.ts';
export { securityEventKinds, type SecurityEventKind } from './security-events.types.ts';
