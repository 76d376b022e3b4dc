export {
  emailSchema,
  newPasswordSchema,
  operatorReference,
  ownPasswordBody,
} from './admins.schemas.ts';
export {
  findAdmin,
  findAdminByEmail,
  hasActiveSuperAdmin,
  listAdmins,
  type AdminRecord,
} from './admins.store.ts';
export {
  adminAccess,
  adminActor,
  adminRoles,
  anyAdmin,
  type AdminPrincipal,
  type AdminRole,
  type ByOperator,
} from './admins.types.ts';
export { createAdmin, createAdminChanges } from './change-admins.ts';
export { removeOperatorFactor } from './own-credentials.ts';
export { createAdmins } from './create-admins.ts';
export { createAdminSignInPurge } from './admins.sweeps.ts';
export { resealAdminPasswords } from './sign-in-admin.ts';
