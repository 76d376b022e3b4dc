export { adminActor } from './admin-actor.ts';
export { emailSchema, newPasswordSchema } from './admins.schemas.ts';
export { createAdmin, type NewAdmin } from './admins.service.ts';
export { createAdminStore, type AdminRecord } from './admins.store.ts';
export {
  adminAccess,
  adminRoles,
  anyAdmin,
  type AdminPrincipal,
  type AdminRole,
} from './admins.types.ts';
export { createAdminChanges, type AdminChanges } from './change-admins.ts';
export { createAdmins } from './create-admins.ts';
export { purgeAdminSignIns } from './purge-sign-ins.ts';
