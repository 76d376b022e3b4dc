import { z } from 'zod';

/*
 * MSG91's v5 one-time code API. The address is on msg91.com/help. Header, fields and response are not
 * on a public reference page. They are from the documentation of its clients, such as sendotp-node.
 */

export const otpPath = '/api/v5/otp';

export const authHeader = 'authkey';

/** A request for one message. */
export const otpBody = (message: {
  readonly templateId: string;
  /** E.164, such as `+919876543210`. */
  readonly phone: string;
  readonly otp: string;
  readonly validMinutes: number;
}) => ({
  template_id: message.templateId,
  // MSG91 expects the country code without a plus.
  mobile: message.phone.replace(/^\+/, ''),
  otp: message.otp,
  // The time in minutes. It is always sent, because the gateway's own default is a day.
  otp_expiry: message.validMinutes,
  otp_length: message.otp.length,
});

/** The response has status 200 even for an error, which only `type` shows. */
export const otpAnswer = z.object({
  type: z.enum(['success', 'error']),
  message: z.unknown().optional(),
});

export type OtpAnswer = z.output<typeof otpAnswer>;
