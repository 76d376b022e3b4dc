import { AppError } from '../../platform/errors/app-error.ts';
import { isAdministration, type Permission, type PortalRole } from './permissions.ts';

/** The rights of a portal user: a permission of administration counts with the role alone. */
export interface Rights {
  readonly role: PortalRole;
  readonly permissions: readonly string[];
}

/** Returns true for a permission that the user can use. */
export const holds = ({ role, permissions }: Rights, permission: string): boolean =>
  permissions.includes(permission) && (!isAdministration(permission) || role === 'super_admin');

/** With these two a user can give every permission that they hold to anyone, themselves too. */
const assigning: readonly Permission[] = [
  'portal_users.assign_role',
  'portal_users.assign_permissions',
];

const lacking = (grantor: Rights, permissions: readonly string[]): string[] =>
  permissions.filter((permission) => !holds(grantor, permission));

const refuse = (message: string, missing: readonly string[]): never => {
  throw new AppError('PERMISSION_DENIED', { message, details: { missing } });
};

/**
 * Refuses to give a permission that the one who gives it does not hold. Without this rule, one
 * permission of administration would yield all the others (contract: accounting > Portal users).
 * @throws AppError PERMISSION_DENIED, with the permissions in `details`
 */
export const requireOwn = (grantor: Rights, given: readonly string[]): void => {
  const missing = lacking(grantor, given);
  if (missing.length > 0) refuse('You can only give permissions that you hold.', missing);
};

/**
 * Refuses to set the password of a user who can do more, but to those who may assign roles and
 * permissions: who knows a password has what its user has.
 * @throws AppError PERMISSION_DENIED, with the permissions in `details`
 */
export const requireReach = (grantor: Rights, target: Rights): void => {
  if (lacking(grantor, assigning).length === 0) return;
  const usable = target.permissions.filter((permission) => holds(target, permission));
  const missing = lacking(grantor, usable);
  if (missing.length > 0) {
    refuse('You cannot set the password of a user who has permissions that you lack.', missing);
  }
};
