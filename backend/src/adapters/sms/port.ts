import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The gateway refused the message. */
export const SMS_REFUSED = 'SMS_REFUSED';

interface OtpMessage {
  /** E.164, such as `+919876543210`. */
  readonly phone: string;
  /** The code, which this service makes and checks. The gateway only delivers it. */
  readonly otp: string;
  readonly validMinutes: number;
  /** The code's purpose in a word, by which a gateway may choose its registered template. */
  readonly purpose: string;
}

/**
 * An SMS gateway. `done` means that the message was accepted for delivery. After an unknown outcome
 * the message may still arrive. It is not repeated, because the customer can request another code.
 */
export interface SmsGateway {
  readonly code: string;
  sendOtp(message: OtpMessage): Promise<Outcome<void>>;
}
