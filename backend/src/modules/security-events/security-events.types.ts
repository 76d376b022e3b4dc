/**
 * The kinds of events of a customer's security (contract: identity-and-kyc > Security events). They
 * are words of the database too.
 */
export const securityEventKinds = [
  'device_signed_in',
  'sign_in_refused',
  'sign_in_locked',
  'refresh_token_reused',
  'mpin_set',
  'mpin_reset',
  'bank_account_added',
  'bank_account_removed',
  'deletion_requested',
  'device_distrusted',
  'biometric_token_issued',
] as const;

export type SecurityEventKind = (typeof securityEventKinds)[number];

/** Kinds that a stranger can cause again and again: counted together per address and minute. */
export type CountedEventKind = 'sign_in_refused' | 'refresh_token_reused';

export interface NewSecurityEvent {
  readonly userId: string;
  readonly kind: Exclude<SecurityEventKind, CountedEventKind>;
  /** The client's address. */
  readonly ip: string;
  readonly deviceId?: string;
}
