export {
  countSecurityEvent,
  createSecurityEventPurge,
  eraseDeviceIds,
  findSignedInDevices,
  recordSecurityEvent,
} from './security-events.store.ts';
export { securityEventKinds, type SecurityEventKind } from './security-events.types.ts';
