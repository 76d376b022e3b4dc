export { createPostingGate, type PostingOutcome } from './posting-gate.ts';
export { portalRead, portalWrite } from './accounting.types.ts';
export { createAccounting } from './create-accounting.ts';
export { permissions, portalRoles, type Permission, type PortalRole } from './permissions.ts';
export { createPortalUser } from './create-portal-user.ts';
export { gstRateBpsOn } from './statutory.read-model.ts';
export { createPortalSessionPurge } from './purge-portal-sessions.ts';
export { purgePortalSignIns } from './portal-sign-in.ts';
export { resealPortalPasswords } from './portal-sign-in.ts';
