import { AppError } from '../../platform/errors/app-error.ts';
import { isAdministration, type Permission, type PortalRole } from './permissions.ts';

/** The rights of a portal user. A permission of administration counts only for a super admin. */
export interface Rights {
  readonly role: PortalRole;
  readonly permissions: readonly string[];
}

/** Returns true if the user has the permission and can use it. */
export const holds = ({ role, permissions }: Rights, permission: string): boolean =>
  permissions.includes(permission) && (!isAdministration(permission) || role === 'super_admin');

/** The permissions by which a user can give every permission that they hold to any user. */
const assigningPermissions: readonly Permission[] = [
  'portal_users.assign_role',
  'portal_users.assign_permissions',
];

const listMissing = (grantor: Rights, permissions: readonly string[]): string[] =>
  permissions.filter((permission) => !holds(grantor, permission));

const refuse = (message: string, missing: readonly string[]): never => {
  throw new AppError('PERMISSION_DENIED', { message, details: { missing } });
};

/**
 * Refuses to give a permission that the grantor does not hold. Without this rule, a user with one
 * permission of administration could get all others (contract: accounting > Portal users).
 * @throws AppError PERMISSION_DENIED, with the missing permissions in `details`
 */
export const requireHeld = (grantor: Rights, permissions: readonly string[]): void => {
  const missing = listMissing(grantor, permissions);
  if (missing.length > 0) refuse('You can only give permissions that you hold.', missing);
};

/**
 * Refuses to set the password of a user who has permissions that the grantor lacks, since the
 * grantor could then sign in as that user. A grantor who may assign roles and permissions is not
 * refused.
 * @throws AppError PERMISSION_DENIED, with the missing permissions in `details`
 */
export const requirePasswordRights = (grantor: Rights, target: Rights): void => {
  if (listMissing(grantor, assigningPermissions).length === 0) return;
  const usable = target.permissions.filter((permission) => holds(target, permission));
  const missing = listMissing(grantor, usable);
  if (missing.length > 0) {
    refuse('You cannot set the password of a user who has permissions that you lack.', missing);
  }
};
