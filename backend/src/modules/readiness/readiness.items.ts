import type { ReadinessItemId } from './readiness.types.ts';

/**
 * What the report names, and what blocks. An item blocks payments only when our own database and
 * configuration decide it: gate 2 is asked on every buy, and a provider that is away has errors
 * of its own. Evidence is what the switch alone can never replace (interface, Capability gates 2).
 */
export const itemTable: Readonly<
  Record<ReadinessItemId, { readonly title: string; readonly blocking: boolean }>
> = {
  merchant_tax_registration: { title: "The merchant's tax registration", blocking: true },
  provider_disclosure: { title: "The gold provider's disclosure", blocking: true },
  legal_entity: { title: 'The legal entity', blocking: true },
  legal_policies: { title: 'The policies that customers accept', blocking: true },
  gold_provider: { title: 'The gold provider answers', blocking: false },
  payment_gateway: { title: 'A payment gateway is usable', blocking: false },
  payout_provider: { title: 'The payout provider answers', blocking: false },
  price_feed: { title: 'The price feed ticks', blocking: false },
  database_migrations: { title: 'The database has the migrations of this build', blocking: true },
  first_admin: { title: 'There is an active super admin', blocking: true },
  production_secrets: { title: 'No published secret is in use', blocking: true },
};
