import type { Timers } from '../../../platform/clock/timers.ts';
import type { Random } from '../../../platform/ids/random.ts';
import type { BackgroundWork } from './background-work.ts';

/** An event on its way to the service. Body and headers are the same at every attempt. */
export interface Delivery {
  readonly id: string;
  /** The collaborator that sends it. */
  readonly from: string;
  readonly event: string;
  /** The id of its order or payout, as the sandbox's page shows it. */
  readonly subject: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A `lost` webhook was never sent. */
  readonly state: 'waiting' | 'delivered' | 'given_up' | 'lost';
  readonly attempts: number;
  readonly lastStatus: number | null;
}

type NewDelivery = Pick<Delivery, 'from' | 'event' | 'subject' | 'path' | 'headers' | 'body'>;

export interface WebhookOutbox {
  /** Sends a webhook until a 2xx comes back. Resolves then, or after the last attempt. */
  deliver(delivery: NewDelivery): Promise<void>;
  /** Lists the newest `count` deliveries, newest first. */
  newest(count: number): readonly Delivery[];
  /** Lists the deliveries that are still waiting. */
  waiting(): readonly Delivery[];
  /** Resumes the deliveries that an earlier process left waiting. */
  resume(deliveries: readonly Delivery[]): void;
  clear(): void;
}

interface WebhookOutboxOptions {
  readonly targetUrl: () => string;
  readonly timers: Timers;
  readonly random: Random;
  readonly backgroundWork: BackgroundWork;
  readonly changed: () => void;
  /** Returns true for a webhook that a fault loses. */
  readonly isLost: (from: string) => boolean;
  /** The waits between attempts. There is no further attempt after the last. */
  readonly backoffMs: readonly number[];
}

/** Retries for about five minutes, soon at first, so that a restarted service does not wait. */
export const defaultBackoffMs: readonly number[] = [
  250,
  500,
  1000,
  2000,
  4000,
  8000,
  ...Array.from({ length: 10 }, () => 30_000),
];

const attemptTimeoutMs = 10_000;

/** Delivers webhooks at least once, with backoff, and keeps the waiting webhooks. */
export const createWebhookOutbox = (options: WebhookOutboxOptions): WebhookOutbox => {
  const { targetUrl, timers, random, backgroundWork, changed, isLost, backoffMs } = options;
  const deliveries = new Map<string, Delivery>();

  const update = (id: string, change: Partial<Delivery>): void => {
    const delivery = deliveries.get(id);
    if (delivery !== undefined) deliveries.set(id, { ...delivery, ...change });
    changed();
  };

  const attempt = async (delivery: Delivery, signal: AbortSignal): Promise<number | null> => {
    try {
      const response = await fetch(targetUrl() + delivery.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...delivery.headers },
        body: delivery.body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  };

  const run = async (delivery: Delivery): Promise<void> => {
    const signal = backgroundWork.signal();
    for (let attempts = 1; ; attempts += 1) {
      const lastStatus = await attempt(delivery, signal);
      if (signal.aborted) return;
      if (lastStatus !== null && lastStatus >= 200 && lastStatus < 300) {
        update(delivery.id, { state: 'delivered', attempts, lastStatus });
        return;
      }
      const waitMs = backoffMs[attempts - 1];
      if (waitMs === undefined) {
        update(delivery.id, { state: 'given_up', attempts, lastStatus });
        return;
      }
      update(delivery.id, { attempts, lastStatus });
      await timers.sleep(waitMs, signal);
      if (signal.aborted) return;
    }
  };

  const start = (delivery: Delivery): Promise<void> => {
    deliveries.set(delivery.id, delivery);
    changed();
    return run(delivery);
  };

  return {
    async deliver(webhook) {
      const delivery = { id: random.uuid(), ...webhook, attempts: 0, lastStatus: null };
      if (isLost(webhook.from)) deliveries.set(delivery.id, { ...delivery, state: 'lost' });
      else await start({ ...delivery, state: 'waiting' });
    },
    newest: (count) => [...deliveries.values()].slice(-count).toReversed(),
    waiting: () => [...deliveries.values()].filter(({ state }) => state === 'waiting'),
    resume(waiting) {
      for (const delivery of waiting) void start(delivery);
    },
    clear: () => deliveries.clear(),
  };
};
