export const evidenceItems = [
  'merchant_tax_registration',
  'provider_disclosure',
  'legal_entity',
  'legal_policies',
] as const;
export type EvidenceItem = (typeof evidenceItems)[number];

export const askedItems = [
  'gold_provider',
  'payment_gateway',
  'payout_provider',
  'price_feed',
  'database_migrations',
  'first_admin',
  'production_secrets',
] as const;
export type AskedItem = (typeof askedItems)[number];

export const readinessItems = [...evidenceItems, ...askedItems] as const;
export type ReadinessItemId = (typeof readinessItems)[number];

export const findingStatuses = ['PASS', 'FAIL', 'UNKNOWN'] as const;

/** What one look at an item found. */
export interface Finding {
  readonly status: (typeof findingStatuses)[number];
  readonly detail: string;
}

export interface Evidence {
  readonly value: string;
  readonly reference: string | null;
  readonly verified: boolean;
  readonly updatedAt: Date;
}

export interface ReadinessItem extends Finding {
  readonly id: ReadinessItemId;
  readonly title: string;
  readonly blocking: boolean;
  readonly evidence?: Evidence;
}

/** Looks at one asked item. What it throws reads as UNKNOWN. */
export type Look = () => Promise<Finding>;
