import { z } from 'zod';

export const evidenceItems = [
  'merchant_tax_registration',
  'provider_disclosure',
  'legal_entity',
  'legal_policies',
] as const;

/** The items of evidence that do not close a gate if they are missing. */
const otherEvidence = ['custodian_certificate'] as const;

/** All items of evidence that operators record. */
export const recordedItems = [...evidenceItems, ...otherEvidence] as const;
export type EvidenceItem = (typeof recordedItems)[number];

/** The form of a custodian's certificate, which has grams and an IST day. */
const certificateForm = /^(?<grams>\d{1,9}(?:\.\d{1,8})?) g of (?<day>\d{4}-\d{2}-\d{2})$/u;

/** Parses the value of a custodian's certificate. Returns undefined if it has another form. */
export const readCertificateValue = (
  value: string,
): { readonly grams: string; readonly day: string } | undefined => {
  const { grams, day } = certificateForm.exec(value)?.groups ?? {};
  const isDay = z.iso.date().safeParse(day).success;
  return grams === undefined || day === undefined || !isDay ? undefined : { grams, day };
};

export const checkedItems = [
  'gold_provider',
  'payment_gateway',
  'payout_provider',
  'price_feed',
  'database_migrations',
  'first_admin',
  'production_secrets',
] as const;
export type CheckedItem = (typeof checkedItems)[number];

export const readinessItems = [...recordedItems, ...checkedItems] as const;
export type ReadinessItemId = (typeof readinessItems)[number];

export const findingStatuses = ['PASS', 'FAIL', 'UNKNOWN'] as const;

/** The result of one item of the report. */
export interface Finding {
  readonly status: (typeof findingStatuses)[number];
  readonly detail: string;
  /** The reason why the item passes now but will soon fail. Absent without a warning. */
  readonly warning?: string;
}

export const pass = (detail: string): Finding => ({ status: 'PASS', detail });
export const fail = (detail: string): Finding => ({ status: 'FAIL', detail });

export interface Evidence {
  readonly value: string;
  readonly reference: string | null;
  readonly verified: boolean;
  /** The last IST day on which the evidence is valid, `YYYY-MM-DD`. Null if it does not expire. */
  readonly expiresOn: string | null;
  readonly updatedAt: Date;
}

export interface ReadinessItem extends Finding {
  readonly id: ReadinessItemId;
  readonly title: string;
  readonly blocking: boolean;
  readonly evidence?: Evidence;
}

/** Checks one item. An error that it throws is reported as UNKNOWN. */
export type ReadinessCheck = () => Promise<Finding>;
