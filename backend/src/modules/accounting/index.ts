export { portalActor, portalRead, portalWrite, type PortalPrincipal } from './accounting.types.ts';
export { createAccounting } from './create-accounting.ts';
export { permissions, portalRoles, type Permission, type PortalRole } from './permissions.ts';
export { createPortalUser, createPortalUserChanges } from './change-portal-users.ts';
export { holds } from './portal-grants.ts';
export { removePortalFactor } from './portal-credentials.ts';
export { resealPortalPasswords } from './portal-sign-in.ts';
export { createPortalSessionPurge, createPortalSignInPurge } from './accounting.sweeps.ts';
export { findPortalUser, listPortalUsers, type PortalUserRecord } from './portal-users.store.ts';
