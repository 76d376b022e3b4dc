import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The gateway refused the message. */
export const SMS_REFUSED = 'SMS_REFUSED';

interface OtpMessage {
  /** E.164, such as `+919876543210`. */
  readonly phone: string;
  /** Made and checked by us. The gateway only delivers it. */
  readonly otp: string;
  readonly validMinutes: number;
  /** The code's purpose, in a word. A gateway picks its registered template by it. */
  readonly purpose: string;
}

/**
 * An SMS gateway. `done` means accepted for delivery. `unknown` means it may or may not arrive: the
 * customer can request another code, so nothing is repeated here.
 */
export interface SmsGateway {
  readonly code: string;
  sendOtp(message: OtpMessage): Promise<Outcome<void>>;
}
