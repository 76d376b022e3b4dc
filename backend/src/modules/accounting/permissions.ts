const readPermissions = [
  'gold.summary.read',
  'gold.buys.read',
  'gold.sells.read',
  'gold.holdings.read',
  'gold.payments.read',
  'gold.payouts.read',
  'gold.reconciliation.read',
  'gold.policy.read',
  'gold.statutory.read',
  'gold.month_end.read',
  'gold.ledger.read',
  'gold.export',
  'audit.read',
  'portal_users.read',
  'roles.read',
] as const;

const writePermissions = [
  'gold.policy.write',
  'gold.statutory.write',
  'gold.reconciliation.sign_off',
  'gold.month_end.close',
] as const;

/** The permissions that count only with the role `super_admin`. Read-only mode does not refuse them. */
export const administrationPermissions = [
  'portal_users.create',
  'portal_users.update',
  'portal_users.deactivate',
  'portal_users.reset_password',
  'portal_users.assign_role',
  'portal_users.assign_permissions',
] as const;

export const permissions = [
  ...readPermissions,
  ...writePermissions,
  ...administrationPermissions,
] as const;
export type Permission = (typeof permissions)[number];

export const portalRoles = [
  'super_admin',
  'finance_head',
  'accountant',
  'tax_officer',
  'reconciliation_analyst',
  'compliance_officer',
  'auditor',
  'viewer',
] as const;
export type PortalRole = (typeof portalRoles)[number];

/** The registers of money and gold, which every role reads. */
const registers = [
  'gold.summary.read',
  'gold.buys.read',
  'gold.sells.read',
  'gold.holdings.read',
  'gold.payments.read',
  'gold.payouts.read',
] as const satisfies readonly Permission[];

/**
 * The permissions that a new user of each role gets. Afterwards only the permissions stored with the
 * user count. Only a super admin gets the administration permissions, which need that role anyway.
 */
export const defaultPermissions: Readonly<Record<PortalRole, readonly Permission[]>> = {
  super_admin: permissions,
  finance_head: [...readPermissions, ...writePermissions],
  accountant: [
    ...registers,
    'gold.reconciliation.read',
    'gold.policy.read',
    'gold.statutory.read',
    'gold.month_end.read',
    'gold.ledger.read',
    'gold.export',
    'gold.month_end.close',
  ],
  tax_officer: [
    ...registers,
    'gold.policy.read',
    'gold.statutory.read',
    'gold.month_end.read',
    'gold.ledger.read',
    'gold.export',
    'gold.policy.write',
    'gold.statutory.write',
  ],
  reconciliation_analyst: [
    ...registers,
    'gold.reconciliation.read',
    'gold.month_end.read',
    'gold.export',
    'gold.reconciliation.sign_off',
  ],
  compliance_officer: [
    ...registers,
    'gold.reconciliation.read',
    'gold.policy.read',
    'gold.statutory.read',
    'audit.read',
    'gold.policy.write',
  ],
  auditor: readPermissions,
  viewer: registers,
};

/** Returns true for a permission to administer portal users. */
export const isAdministration = (permission: string): boolean =>
  administrationPermissions.some((known) => known === permission);
