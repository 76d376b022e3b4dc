/** The accounts of the local stack. Everything here is published, and only for development. */
interface DevelopmentAccount {
  readonly email: string;
  readonly password: string;
}

const account = (name: string): DevelopmentAccount => ({
  email: `${name}@digital-gold.example`,
  password: `dev-only-${name}-password`,
});

/** An operator for each role. */
export const developmentAdmins = {
  SUPER_ADMIN: account('super-admin'),
  ADMIN: account('admin'),
  SUPPORT: account('support'),
} as const satisfies Readonly<Record<string, DevelopmentAccount>>;

/** A user of the accounting portal for each role. */
export const developmentPortalUsers = {
  super_admin: account('portal-super-admin'),
  finance_head: account('finance-head'),
  accountant: account('accountant'),
  tax_officer: account('tax-officer'),
  reconciliation_analyst: account('reconciliation-analyst'),
  compliance_officer: account('compliance-officer'),
  auditor: account('auditor'),
  viewer: account('viewer'),
} as const satisfies Readonly<Record<string, DevelopmentAccount>>;
