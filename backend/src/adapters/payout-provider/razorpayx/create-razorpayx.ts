import { isSigned } from '../../hmac-signature.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { eventIdIn } from '../../webhook-event-id.ts';
import type { PayoutProvider } from '../port.ts';
import { createRazorpayxAccounts } from './create-razorpayx-accounts.ts';
import { createRazorpayxCalls } from './create-razorpayx-calls.ts';
import { createRazorpayxPayouts } from './create-razorpayx-payouts.ts';
import type { RazorpayxConfig } from './razorpayx.config.ts';
import { eventIdHeader, razorpayxRules, signatureHeaders } from './razorpayx.facts.ts';
import { readRazorpayxEvent } from './read-razorpayx-event.ts';

/** RazorpayX as the payout provider; the wire's facts are in `razorpayx.facts.ts`. */
export const createRazorpayx = (
  config: RazorpayxConfig,
  deps: AdapterDeps,
): PayoutProvider & Closable => {
  const calls = createRazorpayxCalls(config, deps);
  const { RAZORPAYX_ACCOUNT_NUMBER: accountNumber, PAYOUT_WEBHOOK_SECRETS: secrets } = config;
  return {
    code: 'razorpayx',
    isTestSystem: config.RAZORPAYX_KEY_ID.startsWith('rzp_test_'),
    rules: razorpayxRules,
    ...createRazorpayxPayouts(calls, accountNumber),
    ...createRazorpayxAccounts(calls, accountNumber),

    verifyWebhook({ rawBody, headers }) {
      const isGenuine = signatureHeaders.some((name) =>
        isSigned({ message: rawBody, signature: headers[name], encoding: 'hex', secrets }),
      );
      if (!isGenuine) return { valid: false };
      return {
        valid: true,
        ...eventIdIn(headers, eventIdHeader),
        event: readRazorpayxEvent(rawBody),
      };
    },

    close: () => calls.close(),
  };
};
