import { z } from 'zod';
import { createHttpClient, readAnswer } from '../../../platform/http-client/index.ts';
import { done, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { SMS_REFUSED, type SmsGateway } from '../port.ts';
import type { Msg91Config } from './msg91.config.ts';

/*
 * MSG91's v5 one-time code API. The address is on msg91.com/help. Header, fields and answer are as
 * in its clients' documentation (sendotp-node among them), not on a public reference page.
 */

const path = '/api/v5/otp';

/** MSG91 sends status 200 also with an error, which only `type` shows. */
const answer = z.object({ type: z.enum(['success', 'error']), message: z.unknown().optional() });

const readType = ({ type, message }: z.output<typeof answer>): Outcome<void> =>
  type === 'success'
    ? done(undefined)
    : refused(SMS_REFUSED, typeof message === 'string' ? message.slice(0, 200) : 'no reason given');

/** Creates MSG91 as the SMS gateway. The code is ours: the gateway only delivers it. */
export const createMsg91 = (config: Msg91Config, deps: AdapterDeps): SmsGateway & Closable => {
  const client = createHttpClient({
    ...deps,
    name: 'msg91',
    baseUrl: config.MSG91_BASE_URL,
    timeoutMs: config.MSG91_TIMEOUT_MS,
    headers: { authkey: config.MSG91_AUTH_KEY },
  });
  return {
    code: 'msg91',
    async sendOtp({ phone, otp, validMinutes }) {
      const sent = await client.request({
        operation: 'send',
        method: 'POST',
        path,
        json: {
          template_id: config.MSG91_OTP_TEMPLATE_ID,
          // Country code without a plus.
          mobile: phone.replace(/^\+/, ''),
          otp,
          // Minutes. Always given: the gateway's own default is a day.
          otp_expiry: validMinutes,
          otp_length: otp.length,
        },
        // A repeat would be a second message.
        safe: false,
      });
      if (sent.kind !== 'done') return sent;
      const read = readAnswer(sent.value, answer, ({ json }) => {
        const error = answer.safeParse(json);
        return error.success ? refused(SMS_REFUSED, `status ${sent.value.status}`) : undefined;
      });
      return read.kind === 'done' ? readType(read.value) : read;
    },
    close: () => client.close(),
  };
};
