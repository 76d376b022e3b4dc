import { createHttpClient, readAnswer } from '../../../platform/http-client/index.ts';
import { done, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { SMS_REFUSED, type SmsGateway } from '../port.ts';
import type { Msg91Config } from './msg91.config.ts';
import { authHeader, otpAnswer, otpBody, otpPath, type OtpAnswer } from './msg91.wire.ts';

const readType = ({ type, message }: OtpAnswer): Outcome<void> =>
  type === 'success'
    ? done(undefined)
    : refused(SMS_REFUSED, typeof message === 'string' ? message.slice(0, 200) : 'no reason given');

/** Creates MSG91 as the SMS gateway. MSG91 only delivers the code and does not check it. */
export const createMsg91 = (config: Msg91Config, deps: AdapterDeps): SmsGateway & Closable => {
  const client = createHttpClient({
    ...deps,
    name: 'msg91',
    baseUrl: config.MSG91_BASE_URL,
    timeoutMs: config.MSG91_TIMEOUT_MS,
    headers: { [authHeader]: config.MSG91_AUTH_KEY },
  });
  return {
    code: 'msg91',
    async sendOtp({ phone, otp, validMinutes }) {
      const sent = await client.request({
        operation: 'send',
        method: 'POST',
        path: otpPath,
        json: otpBody({ templateId: config.MSG91_OTP_TEMPLATE_ID, phone, otp, validMinutes }),
        // A repeat would be a second message.
        safe: false,
      });
      if (sent.kind !== 'done') return sent;
      const read = readAnswer(sent.value, otpAnswer, ({ json }) => {
        const error = otpAnswer.safeParse(json);
        return error.success ? refused(SMS_REFUSED, `status ${sent.value.status}`) : undefined;
      });
      return read.kind === 'done' ? readType(read.value) : read;
    },
    close: () => client.close(),
  };
};
