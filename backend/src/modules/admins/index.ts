export { adminActor } from './admin-actor.ts';
export { createAdmin, type NewAdmin } from './admins.service.ts';
export { createAdminStore } from './admins.store.ts';
export {
  adminAccess,
  adminRoles,
  anyAdmin,
  type AdminPrincipal,
  type AdminRole,
} from './admins.types.ts';
export { createAdmins } from './create-admins.ts';
export { purgeAdminSignIns } from './purge-sign-ins.ts';
