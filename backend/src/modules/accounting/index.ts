export { portalRead, portalWrite } from './accounting.types.ts';
export { createAccounting } from './create-accounting.ts';
export { permissions, portalRoles, type Permission, type PortalRole } from './permissions.ts';
export { createPortalUser, createPortalUserChanges } from './change-portal-users.ts';
export { removePortalFactor } from './portal-credentials.ts';
export {
  createPortalSessionPurge,
  createPortalSignInPurge,
  resealPortalPasswords,
} from './portal-sign-in.ts';
export { listPortalUsers, type PortalUserRecord } from './portal-users.store.ts';
