/** The items whose evidence operators record. */
export const evidenceItems = [
  'merchant_tax_registration',
  'provider_disclosure',
  'legal_entity',
  'legal_policies',
  'custodian_certificate',
] as const;
export type EvidenceItem = (typeof evidenceItems)[number];
