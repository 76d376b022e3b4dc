import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, secret, text } from '../../../platform/config/kinds.ts';

export const msg91Variables = defineVariables({
  MSG91_BASE_URL: { schema: httpUrl(), doc: "MSG91's host, such as https://control.msg91.com" },
  MSG91_AUTH_KEY: { schema: secret(), doc: "MSG91's auth key", secret: true },
  MSG91_OTP_TEMPLATE_ID: { schema: text(), doc: 'DLT-registered template of the one-time code' },
  MSG91_TIMEOUT_MS: {
    schema: integer(5000, 100, 60_000),
    doc: 'limit of one call to MSG91 in milliseconds',
  },
});

export type Msg91Config = Config<typeof msg91Variables>;
