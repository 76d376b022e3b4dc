import { Counter, type Registry } from 'prom-client';

/**
 * `failed` means that the gateway refused the code, or that the outcome is unknown. `no_account`
 * means that the code would reset the MPIN of an unregistered phone number, so it was not sent. The
 * results that end with `_limit` name the limit by which the send was refused.
 */
const results = [
  'sent',
  'failed',
  'no_account',
  'phone_limit',
  'address_limit',
  'network_limit',
  'stranger_limit',
  'total_limit',
] as const;
export type SendResult = (typeof results)[number];

export interface CodeMetrics {
  countSend(result: SendResult): void;
}

/** Creates the counter of one-time codes. It shows every result from the start, with 0. */
export const createCodeMetrics = (registry: Registry): CodeMetrics => {
  const sends = new Counter({
    name: 'otp_sends_total',
    help: 'Requested one-time codes, by the result of sending them.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of results) sends.inc({ result }, 0);
  return { countSend: (result) => sends.inc({ result }) };
};
