/**
 * The kinds of a customer's security events (contract: identity-and-kyc > Security events). The
 * database also has these words, in a check.
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

/** The kinds that a stranger can cause repeatedly. They are counted by address and minute. */
export type CountedEventKind = 'sign_in_refused' | 'refresh_token_reused';

export interface NewSecurityEvent {
  readonly userId: string;
  readonly kind: Exclude<SecurityEventKind, CountedEventKind>;
  /** The client's address. */
  readonly ip: string;
  readonly deviceId?: string;
}
