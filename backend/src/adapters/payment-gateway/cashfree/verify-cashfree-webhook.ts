import { isSigned } from '../../hmac-signature.ts';
import { eventIdIn } from '../../webhook-event-id.ts';
import type { VerifiedWebhook, WebhookDelivery } from '../port.ts';
import { headers as names } from './cashfree.facts.ts';
import { readCashfreeEvent } from './read-cashfree-event.ts';

/**
 * Checks a webhook's signature: base64 HMAC-SHA256 of the timestamp and the raw body under one of
 * the client secrets in force. A body that was parsed and printed again has another signature, for
 * 170.00 becomes 170.
 *
 * The age of the timestamp is not judged: Cashfree retries for hours and resends on request, and a
 * delivery refused for its age would be a capture lost. A replay is harmless, because an event is
 * accepted once by its id and by its body, and its effect is once per payment.
 */
export const verifyCashfreeWebhook = (
  secrets: readonly string[],
  { rawBody, headers }: WebhookDelivery,
): VerifiedWebhook => {
  const timestamp = headers[names.webhookTimestamp];
  if (typeof timestamp !== 'string' || !/^\d{1,17}$/u.test(timestamp)) return { valid: false };
  const isGenuine = isSigned({
    message: Buffer.concat([Buffer.from(timestamp, 'utf8'), rawBody]),
    signature: headers[names.webhookSignature],
    encoding: 'base64',
    secrets,
  });
  if (!isGenuine) return { valid: false };
  return {
    valid: true,
    ...eventIdIn(headers, names.webhookEventId),
    event: readCashfreeEvent(rawBody),
  };
};
