import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { publishedSecrets } from '../../dev/stack/environment.ts';
import { createCaller, type Answer } from './caller.ts';
import { hangsForMs } from './open-test-system.ts';

export interface JournalEntry {
  readonly seq: number;
  readonly operation: string;
  readonly path: string;
  readonly status: number | null;
  readonly body: unknown;
  readonly response: unknown;
}

export interface Play {
  readonly outcome?: 'captured' | 'failed';
  readonly amountPaise?: number;
  readonly currency?: string;
  readonly deliver?: 'webhook' | 'none' | 'duplicate' | 'reordered' | 'delayed';
}

export interface FaultOptions {
  readonly times?: number;
  readonly status?: number;
  readonly delayMs?: number;
}

const paymentSchema = z.object({
  gateway_payment_id: z.string(),
  gateway_order_id: z.string(),
  status: z.string(),
  amount_paise: z.number(),
  currency: z.string(),
  method: z.string(),
  signature: z.string(),
});

/** A payment as its customer's device learns of it. */
export type PlayedPayment = z.output<typeof paymentSchema>;

const journalSchema = z.object({
  entries: z.array(
    z.object({
      seq: z.number(),
      operation: z.string(),
      path: z.string(),
      status: z.number().nullable(),
      body: z.unknown(),
      response: z.unknown(),
    }),
  ),
});

const smsSchema = z.object({ messages: z.array(z.object({ otp: z.string().nullish() })) });

interface WebhookChanges {
  readonly eventId?: string;
  readonly secret?: string;
  /** Into `data`. */
  readonly data?: object;
}

const messageOf = (event: string, payment: PlayedPayment, changes: WebhookChanges): string => {
  const { signature: _, ...data } = payment;
  return JSON.stringify({
    event,
    created_at: new Date().toISOString(),
    data: { ...data, ...changes.data },
  });
};

/** The sandbox's controls, as stories use them. */
export const createSandboxControls = (sandboxUrl: string) => {
  const call = createCaller(`${sandboxUrl}/_control`);
  const control = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  };

  return {
    url: sandboxUrl,
    control,

    /** Plays the customer at the checkout. */
    async pay(gatewayOrderId: string, play: Play = {}): Promise<PlayedPayment> {
      const asked = { outcome: 'captured', ...play };
      const { body } = await control('POST', `/payments/${gatewayOrderId}`, asked);
      return paymentSchema.parse(body);
    },

    /** The next `times` (1) calls of the operation go wrong. What hangs is cut off soon. */
    async fault(
      collaborator: 'safegold' | 'sandbox-gateway' | 'razorpayx',
      operation: string,
      fault: string,
      options: FaultOptions = {},
    ): Promise<void> {
      const hang = fault.endsWith('timeout') ? { delayMs: hangsForMs } : {};
      await control('POST', '/faults', { collaborator, operation, fault, ...hang, ...options });
    },

    async clearFaults(): Promise<void> {
      await control('DELETE', '/faults');
    },

    /** The calls of an operation that hold `text` in their path, body or answer, oldest first. */
    async journal(operation: string, text = ''): Promise<JournalEntry[]> {
      const { body } = await control('GET', `/journal?operation=${operation}`);
      const { entries } = journalSchema.parse(body);
      return entries.filter((entry) => JSON.stringify(entry).includes(text));
    },

    /** The code of the newest message to a phone. */
    async codeFor(phone: string): Promise<string> {
      const { body } = await control('GET', `/sms?phone=${encodeURIComponent(phone)}`);
      return smsSchema.parse(body).messages[0]?.otp ?? '';
    },

    /**
     * The provider's status of a transaction: 0 not confirmed, 1 done, 2 failed, 3 in progress.
     */
    async setTransaction(txId: string, status: 0 | 1 | 2 | 3): Promise<void> {
      await control('POST', `/transactions/${txId}`, { status });
    },

    /** Sends a signed event to an API, as the gateway would. */
    async sendWebhook(
      apiUrl: string,
      event: string,
      payment: PlayedPayment,
      changes: WebhookChanges = {},
    ): Promise<Answer> {
      const { eventId = `evt_${randomUUID()}`, secret = publishedSecrets.sandboxWebhook } = changes;
      const text = messageOf(event, payment, changes);
      const headers = {
        'x-gateway-signature': createHmac('sha256', secret).update(text).digest('hex'),
        'x-gateway-event-id': eventId,
      };
      return createCaller(apiUrl, headers)('POST', '/v1/webhooks/payment/sandbox', text);
    },
  };
};

export type SandboxControls = ReturnType<typeof createSandboxControls>;
