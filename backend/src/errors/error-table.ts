/** The status and message of an error, and its treatment. */
export interface ErrorRow {
  readonly status: number;
  /** The message, for people. The code that throws the error may give a more exact message. */
  readonly message: string;
  /** True if the same request, unchanged, may succeed later. */
  readonly retryable?: true;
  /** True if the error is logged as an error, because the house should look into it. */
  readonly reportable?: true;
}

const row = (status: number, message: string, flags: Omit<ErrorRow, 'status' | 'message'> = {}) =>
  ({ status, message, ...flags }) satisfies ErrorRow;

/**
 * Lists every error that the APIs answer with, in one table, so that a code can't have two statuses
 * (contract: conventions > Errors). Clients branch on `code`, which never changes. `message` is for
 * people. It explains what happened, what it means for their money and what to do next.
 *
 * The table contains terms of the domain, so it is not in the platform. It is not split by module,
 * because several modules throw the same code. A table merged from parts would also give AppError a
 * type that depends on the parts that a process has loaded.
 */
export const errorTable = {
  // The wire
  VALIDATION_FAILED: row(400, 'The request is not valid.'),
  MALFORMED_JSON: row(400, 'The request body is not valid JSON.'),
  PAYLOAD_TOO_LARGE: row(413, 'The request body is too large.'),
  BODY_TIMEOUT: row(408, 'The request did not arrive in time. Please send it again.', {
    retryable: true,
  }),
  UNSUPPORTED_MEDIA_TYPE: row(415, 'The content type must be application/json in UTF-8.'),
  NOT_FOUND: row(404, 'Not found.'),
  METHOD_NOT_ALLOWED: row(405, 'This path does not support this method.'),
  NOT_IMPLEMENTED: row(501, 'This feature is not available yet.'),
  INTERNAL: row(500, 'Something went wrong on our side. Please try again.', {
    retryable: true,
    reportable: true,
  }),
  SERVICE_UNAVAILABLE: row(
    503,
    'The service is temporarily unavailable. Please try again in a few minutes.',
    { retryable: true, reportable: true },
  ),

  // Identity and permission
  UNAUTHENTICATED: row(401, 'Please sign in.'),
  FORBIDDEN: row(403, 'Your role does not allow this action.'),
  RECENT_SIGN_IN_REQUIRED: row(
    403,
    'Please sign in again, or enter your current MPIN, to make this change.',
  ),
  SECOND_FACTOR_REQUIRED: row(401, 'Please also enter the code of your authenticator app.'),
  SECOND_FACTOR_INVALID: row(
    403,
    'This code is incorrect, has expired or was used already. Please wait for the next one.',
  ),
  SECOND_FACTOR_NOT_ENROLLED: row(
    403,
    'Please set up an authenticator app first. Until then, you cannot do anything else.',
  ),
  WRONG_PASSWORD: row(403, 'Your current password is incorrect. Nothing was changed.'),
  OTHER_PERSON_REQUIRED: row(403, 'Another person must decide this. Nothing was changed.'),
  PERMISSION_DENIED: row(403, 'You do not have permission for this action.'),
  READ_ONLY_MODE: row(403, 'The portal is in read-only mode, so nothing can be changed.'),
  INVALID_SIGNATURE: row(401, 'The signature does not match the request body.'),
  INVALID_CREDENTIALS: row(401, 'Your sign-in details are incorrect.'),
  INVALID_OTP: row(
    401,
    'This code is incorrect or has expired. Please check it or request a new one.',
  ),
  ACCOUNT_UNAVAILABLE: row(401, 'You cannot sign in to this account. Please contact support.'),
  INVALID_REFRESH_TOKEN: row(401, 'Your session has ended. Please sign in again.'),
  MPIN_TOO_COMMON: row(400, 'Many people choose this MPIN. Please choose another one.'),
  NO_ACTIVE_SESSION: row(400, 'There is no active session on this device. Please sign in first.'),

  // Too much
  TOO_MANY_ROWS: row(
    400,
    'This register does not fit on one sheet. Narrow the period or export as CSV.',
  ),
  RATE_LIMITED: row(429, 'Too many requests. Please try again later.', { retryable: true }),
  OTP_SEND_LIMIT: row(429, 'You have requested too many codes. Please try again later.', {
    retryable: true,
  }),
  VALIDATION_LIMIT: row(
    429,
    'You have verified too many bank accounts today. Please try again tomorrow.',
    { retryable: true },
  ),
  QUOTE_LIMIT: row(
    429,
    'You have asked for too many quotes. Nothing was bought or sold. Please try again in a few minutes.',
    { retryable: true },
  ),
  OTP_LOCKED: row(429, 'Too many incorrect codes. Please try again later.', { retryable: true }),
  MPIN_LOCKED: row(429, 'Too many incorrect MPINs. Please try again later.', { retryable: true }),
  LOGIN_LOCKED: row(429, 'Too many failed sign-ins. Please try again later.', { retryable: true }),
  TICKET_LIMIT: row(429, 'You have opened too many tickets. Please try again later.', {
    retryable: true,
  }),
  DEPLOY_TOO_SOON: row(
    429,
    'A deployment was started less than a minute ago. Please wait before starting another.',
    { retryable: true },
  ),

  BUSY: row(503, 'The service is busy right now. Please try again in a few seconds.', {
    retryable: true,
  }),

  // Idempotency
  IDEMPOTENCY_KEY_REUSED: row(
    409,
    'This idempotency key was already used with a different request. Use a new key.',
  ),
  REQUEST_IN_PROGRESS: row(
    409,
    'Your first request with this key is still running. Repeat it with the same key in a few seconds.',
    { retryable: true },
  ),

  // Gates
  PAYMENTS_DISABLED: row(
    503,
    'Buying gold is currently unavailable. You have not been charged. Please try again later.',
    { retryable: true },
  ),
  SELL_DISABLED: row(
    503,
    'Selling gold is currently unavailable. Your gold is still in your account. Please try again later.',
    { retryable: true },
  ),

  // Money
  KYC_REQUIRED: row(403, 'Please complete your KYC first.'),
  LIMIT_EXCEEDED: row(400, 'This is outside the allowed limits.'),
  BANK_ACCOUNT_NOT_VERIFIED: row(
    400,
    'This bank account is not verified. Please use a verified account.',
  ),
  AMOUNT_TOO_SMALL: row(400, 'This amount is too small. Please enter a larger amount.'),
  INSUFFICIENT_BALANCE: row(400, 'You do not have enough gold available to sell.'),
  QUOTE_USED: row(409, 'This quote has already been used. Please request a new one.'),
  QUOTE_EXPIRED: row(409, 'This quote has expired. Please request a new one.'),
  ILLEGAL_TRANSITION: row(409, 'This action is not possible in the current state.'),
  OUTCOME_UNDECIDED: row(
    409,
    'The outcome of an earlier attempt is not known yet. Please try again in a few minutes.',
    { retryable: true },
  ),
  SIGNATURE_MISMATCH: row(
    400,
    'The payment signature is not valid. If you have paid, do not pay again: ' +
      'we confirm your payment automatically.',
  ),
  PAYMENT_MISMATCH: row(
    400,
    'This payment belongs to another order. If you have paid, do not pay again: ' +
      'we confirm your payment automatically.',
  ),
  TERMS_NOT_ACCEPTED: row(400, 'Please accept the terms to continue.'),
  GATEWAY_CREDENTIALS_BARRED: row(
    409,
    "This gateway's credentials do not match this installation, so it cannot take payments here. " +
      'Production needs live credentials: configure them, then set the mode.',
  ),
  NO_USABLE_GATEWAY: row(
    503,
    'No payment method is available right now. You have not been charged. Please try again later.',
    { retryable: true },
  ),
  SELL_UNDER_REVIEW: row(
    503,
    'Your sale is NOT cancelled. We are checking it; please do not sell the same gold again.',
  ),
  PAYOUT_CAP_EXCEEDED: row(
    403,
    'This payout exceeds the amount that your role may approve. Ask a super admin to approve it.',
  ),
  HOLDING_NOT_EMPTY: row(409, 'Your account still holds gold. Please sell it first.'),
  ACCOUNT_BUSY: row(
    409,
    'Your account has orders, payouts or plans in progress. Please try again when they are complete.',
  ),
  PRODUCT_UNAVAILABLE: row(
    400,
    'A product in your order is not available any more. Nothing was ordered. Please remove it and try again.',
  ),
  PRICE_CHANGED: row(409, 'The total has changed. Please review the new total and confirm again.'),

  // Collaborators
  PRICE_UNAVAILABLE: row(
    502,
    'The gold price is currently unavailable. Please try again in a few minutes.',
    { retryable: true },
  ),
  PROVIDER_UNAVAILABLE: row(
    502,
    'The gold provider is not responding. This request did not buy or sell any gold. ' +
      'Please try again in a few minutes.',
    { retryable: true },
  ),
  PROVIDER_REFUSED: row(
    502,
    'The gold provider declined this request. It did not buy or sell any gold.',
  ),
  PROVIDER_MISMATCH: row(502, "The gold provider's response does not match the request.", {
    reportable: true,
  }),
  GATEWAY_UNAVAILABLE: row(
    502,
    'The payment gateway is not responding. If you have paid, do not pay again: ' +
      'we confirm your payment automatically. Otherwise, please try again in a few minutes.',
    { retryable: true },
  ),
  GATEWAY_MISMATCH: row(
    502,
    "The payment gateway's response does not match the order. You have not been charged. Please start again.",
    { reportable: true },
  ),
  SMS_UNAVAILABLE: row(502, 'We could not send the code. Please try again in a few minutes.', {
    retryable: true,
  }),
  CI_NOT_CONFIGURED: row(503, 'No access token for the CI system is configured.'),
  CI_UNAVAILABLE: row(502, 'The CI system is not responding. Please try again in a few minutes.', {
    retryable: true,
  }),
  CI_REFUSED: row(502, 'The CI system declined the request.', { reportable: true }),
  DEPLOY_OUTCOME_UNKNOWN: row(
    502,
    'It is not known whether the deployment started. ' +
      'Look for its correlation ID in the list of runs before starting another.',
    { reportable: true },
  ),

  // Domain conflicts
  BANK_ACCOUNT_LIMIT: row(409, 'You have reached the maximum number of bank accounts.'),
  BANK_ACCOUNT_DUPLICATE: row(409, 'You have already added this bank account.'),
  BANK_ACCOUNT_IN_USE: row(
    409,
    'A payout to this bank account is in progress. Please try again when it is complete.',
  ),
  KYC_DUPLICATE: row(
    409,
    'This PAN or Aadhaar number is registered with another account. Please contact support.',
  ),
  DOCUMENT_UNREADABLE: row(
    500,
    'This document is missing from the store or cannot be decrypted. ' +
      'Please ask the customer to upload it again.',
    { reportable: true },
  ),
  KYC_STATE: row(409, 'Your KYC is already under review or approved.'),
  CONFLICT: row(409, 'This conflicts with the current state. Please reload and try again.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
