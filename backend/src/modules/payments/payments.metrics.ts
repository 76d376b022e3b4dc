import { Counter } from 'prom-client';
import type { Metrics } from '../../platform/observability/index.ts';

/** The result of receiving a webhook. `deferred`: it is stored, to be applied later. */
export type WebhookResult =
  | 'applied'
  | 'duplicate'
  | 'ignored'
  | 'unmatched'
  | 'unreadable'
  | 'deferred'
  | 'refused';

export interface PaymentMetrics extends Pick<Metrics, 'countCall'> {
  countWebhook(gateway: string, result: WebhookResult): void;
  /** Counts a capture that no webhook had reported. `source` is the poll that found it. */
  countFoundCapture(gateway: string, source: string): void;
  /**
   * Counts a refund or lost dispute. `source` is `webhook`, or `poll` if no webhook had reported
   * it.
   */
  countReversal(gateway: string, kind: 'REFUND' | 'DISPUTE', source: 'webhook' | 'poll'): void;
}

/**
 * Creates the module's counters. A gateway's label is a code of the configuration, never a part of
 * a request's path. The label `default` counts unsigned requests to the path without a gateway.
 */
export const createPaymentMetrics = ({
  registry,
  countCall,
}: Pick<Metrics, 'registry' | 'countCall'>): PaymentMetrics => {
  const webhooks = new Counter({
    name: 'payment_webhooks_total',
    help: 'Payment webhooks, by gateway and result.',
    labelNames: ['gateway', 'result'],
    registers: [registry],
  });
  const foundCaptures = new Counter({
    name: 'payment_captures_found_total',
    help: 'Captures that no webhook had reported, by gateway and source.',
    labelNames: ['gateway', 'source'],
    registers: [registry],
  });
  const reversals = new Counter({
    name: 'payment_reversals_total',
    help: 'Refunds and lost disputes of captured payments, by gateway, kind and source.',
    labelNames: ['gateway', 'kind', 'source'],
    registers: [registry],
  });
  return {
    countCall,
    countWebhook: (gateway, result) => webhooks.inc({ gateway, result }),
    countFoundCapture: (gateway, source) => foundCaptures.inc({ gateway, source }),
    countReversal: (gateway, kind, source) => reversals.inc({ gateway, kind, source }),
  };
};
