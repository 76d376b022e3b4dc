import { Counter, type Registry } from 'prom-client';

/**
 * `failed`: the gateway refused it, or the outcome is unknown. `no_account`: requested to reset the
 * MPIN of an unregistered phone number, and not sent. The others are the limits that it met.
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

/** Creates the counter of one-time codes, every result of which is there from the start. */
export const createCodeMetrics = (registry: Registry): CodeMetrics => {
  const sends = new Counter({
    name: 'otp_sends_total',
    help: 'One-time codes that were requested, by the result of sending them.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of results) sends.inc({ result }, 0);
  return { countSend: (result) => sends.inc({ result }) };
};
