import type { Clock } from '../../../../platform/clock/clock.ts';
import type { Timers } from '../../../../platform/clock/timers.ts';
import type { Random } from '../../../../platform/ids/random.ts';
import type { BackgroundWork } from '../../core/background-work.ts';
import type { DeliveryOptions } from '../../core/payout-simulator.ts';
import { hexHmac } from '../../core/credentials.ts';
import type { WebhookOutbox } from '../../core/webhook-outbox.ts';
import { secondsAt } from './razorpayx-store.ts';

export interface RazorpayxWebhookDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly backgroundWork: BackgroundWork;
  readonly outbox: WebhookOutbox;
  readonly webhookSecret: string;
}

interface PayoutEvent {
  readonly event: string;
  /** The reference of its payout or penny-drop, as the sandbox's page shows it. */
  readonly subject: string;
  /** Names the entity within the event's payload. */
  readonly part: 'payout' | 'fund_account.validation';
  readonly entity: object;
}

const webhookPath = '/v1/webhooks/payout';
const defaultDelayMs = 3000;

/**
 * Signs and sends the payout provider's events (contract: payments-and-webhooks > Payout events).
 * Their form is on the provider's page webhooks/payloads/x.
 */
export const sendRazorpayxEvent = async (
  deps: RazorpayxWebhookDeps,
  { event, subject, part, entity }: PayoutEvent,
  delivery: DeliveryOptions,
): Promise<void> => {
  const { deliver: mode = 'webhook', delayMs = defaultDelayMs } = delivery;
  if (mode === 'none') return;
  const body = JSON.stringify({
    entity: 'event',
    account_id: 'acc_sandbox',
    event,
    contains: [part],
    payload: { [part]: { entity } },
    created_at: secondsAt(deps.clock.now()),
  });
  const signature = hexHmac(deps.webhookSecret, body);
  const headers = {
    'x-gateway-signature': signature,
    'x-razorpay-signature': signature,
    'x-razorpay-event-id': `sbx_evt_${deps.random.uuid().replaceAll('-', '')}`,
  };
  if (mode === 'delayed') {
    const signal = deps.backgroundWork.signal();
    await deps.timers.sleep(delayMs, signal);
    if (signal.aborted) return;
  }
  const webhook = { from: 'razorpayx', event, subject, path: webhookPath, headers, body };
  const send = () => deps.outbox.deliver(webhook);
  await Promise.all(mode === 'duplicate' ? [send(), send()] : [send()]);
};
