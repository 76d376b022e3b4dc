/** How one error looks to a client and to us. */
export interface ErrorRow {
  readonly status: number;
  /** For people; a thrower may give a more exact one. */
  readonly message: string;
  /** The same request may succeed later without being changed. */
  readonly retryable?: true;
  /** Somebody on our side should look: logged as an error. */
  readonly reportable?: true;
}

const row = (status: number, message: string, flags: Omit<ErrorRow, 'status' | 'message'> = {}) =>
  ({ status, message, ...flags }) satisfies ErrorRow;

/**
 * Every error any API answers with (decisions, sections 1 to 8). `code` is stable: clients branch
 * on it. One table, so that a code can't have two statuses.
 */
export const errorTable = {
  // The wire
  VALIDATION_FAILED: row(400, 'The request is not valid.'),
  MALFORMED_JSON: row(400, 'The body is not valid JSON.'),
  PAYLOAD_TOO_LARGE: row(413, 'The body is larger than this route accepts.'),
  UNSUPPORTED_MEDIA_TYPE: row(415, 'The content type must be application/json.'),
  NOT_FOUND: row(404, 'There is nothing here.'),
  METHOD_NOT_ALLOWED: row(405, 'This path does not accept that method.'),
  NOT_IMPLEMENTED: row(501, 'This endpoint is not available yet.'),
  INTERNAL: row(500, 'Something went wrong on our side.', { retryable: true, reportable: true }),
  SERVICE_UNAVAILABLE: row(503, 'The service is not available right now.', {
    retryable: true,
    reportable: true,
  }),

  // Who is asking
  UNAUTHENTICATED: row(401, 'Sign in to use this.'),
  FORBIDDEN: row(403, 'Your role does not allow this.'),
  PERMISSION_DENIED: row(403, 'Your permissions do not allow this.'),
  READ_ONLY_MODE: row(403, 'The portal is in read-only mode.'),
  INVALID_SIGNATURE: row(401, 'The signature does not match the body.'),
  INVALID_CREDENTIALS: row(401, 'These credentials are not valid.'),
  INVALID_OTP: row(401, 'This code is not valid.'),
  ACCOUNT_UNAVAILABLE: row(401, 'This account can not sign in.'),
  INVALID_REFRESH_TOKEN: row(401, 'Sign in again.'),
  NO_ACTIVE_SESSION: row(400, 'This device has no active session.'),

  // Too much
  RATE_LIMITED: row(429, 'Too many requests. Try again later.', { retryable: true }),
  OTP_SEND_LIMIT: row(429, 'Too many codes were requested. Try again later.', { retryable: true }),
  OTP_LOCKED: row(429, 'Too many wrong codes. Try again later.', { retryable: true }),
  MPIN_LOCKED: row(429, 'Too many wrong MPINs. Try again later.', { retryable: true }),
  LOGIN_LOCKED: row(429, 'Too many failed sign-ins. Try again later.', { retryable: true }),
  TICKET_LIMIT: row(429, 'Too many tickets. Try again later.', { retryable: true }),
  DEPLOY_TOO_SOON: row(429, 'A deployment was triggered moments ago.', { retryable: true }),

  // Idempotency
  IDEMPOTENCY_KEY_REUSED: row(409, 'This idempotency key was used with another payload.'),
  REQUEST_IN_PROGRESS: row(409, 'The first request with this key is still running.', {
    retryable: true,
  }),

  // Gates
  PAYMENTS_DISABLED: row(503, 'Buying gold is not available right now.', { retryable: true }),
  SELL_DISABLED: row(503, 'Selling gold is not available right now.', { retryable: true }),

  // Money
  KYC_REQUIRED: row(403, 'Complete KYC first.'),
  LIMIT_EXCEEDED: row(400, 'The amount is outside the limits.'),
  BANK_ACCOUNT_NOT_VERIFIED: row(400, 'This bank account is not verified.'),
  AMOUNT_TOO_SMALL: row(400, 'The amount buys or sells no gold.'),
  INSUFFICIENT_BALANCE: row(400, 'There is not enough free gold.'),
  QUOTE_USED: row(409, 'This quote was already used.'),
  QUOTE_EXPIRED: row(409, 'This quote has expired.'),
  ILLEGAL_TRANSITION: row(409, 'This is not possible in the current state.'),
  OUTCOME_UNDECIDED: row(409, 'The outcome of an earlier attempt is not known yet.', {
    retryable: true,
  }),
  SIGNATURE_MISMATCH: row(400, 'The payment signature does not match.'),
  PAYMENT_MISMATCH: row(400, 'This payment response belongs to another order.'),
  TERMS_NOT_ACCEPTED: row(400, 'The terms must be accepted.'),
  NO_USABLE_GATEWAY: row(503, 'No payment gateway is available right now.', { retryable: true }),
  SELL_UNDER_REVIEW: row(503, 'The sell is NOT cancelled; it is being reviewed.'),
  PAYOUT_CAP_EXCEEDED: row(403, 'This payout is above what your role may approve.'),
  HOLDING_NOT_EMPTY: row(409, 'The account still holds gold.'),
  ACCOUNT_BUSY: row(409, 'The account has active orders, payouts or plans.'),
  PRICE_CHANGED: row(409, 'The total has changed.'),

  // Collaborators
  PRICE_UNAVAILABLE: row(502, 'The gold price is not available right now.', { retryable: true }),
  PROVIDER_UNAVAILABLE: row(502, 'The gold provider is not available right now.', {
    retryable: true,
  }),
  PROVIDER_REFUSED: row(502, 'The gold provider refused.'),
  PROVIDER_MISMATCH: row(502, 'The gold provider answered something else than asked.', {
    reportable: true,
  }),
  GATEWAY_UNAVAILABLE: row(502, 'The payment gateway is not available right now.', {
    retryable: true,
  }),
  GATEWAY_REFUSED: row(502, 'The payment gateway refused the order.', { reportable: true }),
  GATEWAY_MISMATCH: row(502, 'The payment gateway answered another amount.', { reportable: true }),
  SMS_UNAVAILABLE: row(502, 'The code could not be sent. Try again later.', { retryable: true }),
  CI_NOT_CONFIGURED: row(503, 'No access token of the CI system is set.'),
  CI_UNAVAILABLE: row(502, 'The CI system is not available right now.', {
    retryable: true,
  }),
  CI_REFUSED: row(502, 'The CI system refused.', { reportable: true }),
  DEPLOY_OUTCOME_UNKNOWN: row(
    502,
    'Whether the deployment was started is not known: look for its correlation id in the runs.',
    { reportable: true },
  ),

  // Domain conflicts
  BANK_ACCOUNT_LIMIT: row(409, 'There are as many bank accounts as there may be.'),
  BANK_ACCOUNT_DUPLICATE: row(409, 'This bank account was added before.'),
  BANK_ACCOUNT_IN_USE: row(409, 'Money is on its way to this bank account.'),
  KYC_DUPLICATE: row(409, 'This document belongs to another account.'),
  KYC_STATE: row(409, 'This is not possible in the current KYC state.'),
  CONFLICT: row(409, 'This conflicts with the current state.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
