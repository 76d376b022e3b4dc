import { z } from 'zod';

export const evidenceItems = [
  'merchant_tax_registration',
  'provider_disclosure',
  'legal_entity',
  'legal_policies',
] as const;

/** Evidence that closes nothing where it is missing. */
const otherEvidence = ['custodian_certificate'] as const;

/** Everything that operators put on file. */
export const recordedItems = [...evidenceItems, ...otherEvidence] as const;
export type EvidenceItem = (typeof recordedItems)[number];

/** The form of the custodian's certificate: its grams and its IST day. */
const certificateForm = /^(?<grams>\d{1,9}(?:\.\d{1,8})?) g of (?<day>\d{4}-\d{2}-\d{2})$/u;

/**
 * Reads the figure and the day of a custodian's certificate, or undefined where they are neither.
 */
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
  /** It passes, and will not for long. */
  readonly warning?: string;
}

export const pass = (detail: string): Finding => ({ status: 'PASS', detail });
export const fail = (detail: string): Finding => ({ status: 'FAIL', detail });

export interface Evidence {
  readonly value: string;
  readonly reference: string | null;
  readonly verified: boolean;
  /** The last IST day on which it holds, `YYYY-MM-DD`, or null where it has no end. */
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
