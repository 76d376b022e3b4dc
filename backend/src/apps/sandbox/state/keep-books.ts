import type { SpotPrices } from '../collaborators/safegold/price-source.ts';
import type { Delivery } from '../core/webhook-outbox.ts';
import type { SandboxParts } from '../sandbox-parts.ts';
import { fromSaved, toSaved } from './saved-value.ts';

interface Saved {
  readonly clockOffsetMs: number;
  readonly prices: SpotPrices | null;
  readonly collaborators: Readonly<Record<string, unknown>>;
  readonly deliveries: readonly Delivery[];
}

/** What outlives the process: the clock's offset, standing prices, books, unsent webhooks. */
export const saveBooks = (parts: SandboxParts): unknown => {
  const { clock, prices, collaborators, webhooks } = parts;
  const store = collaborators.map((collaborator) => [collaborator.name, collaborator.store.save()]);
  return {
    clockOffsetMs: clock.offsetMs(),
    prices: toSaved(prices.fixed() ?? null),
    collaborators: Object.fromEntries(store),
    deliveries: webhooks.waiting(),
  };
};

/** Puts back what `saveBooks` gave, and goes on with what was under way. */
export const loadBooks = (parts: SandboxParts, value: unknown): void => {
  // Written by `saveBooks`; the file's version was checked.
  const saved = value as Saved;
  const prices = fromSaved(saved.prices) as SpotPrices | null;
  parts.clock.setOffsetMs(saved.clockOffsetMs);
  if (prices !== null) parts.prices.fix(prices);
  for (const { name, store } of parts.collaborators) {
    const kept = saved.collaborators[name];
    if (kept !== undefined) store.load(kept);
  }
  parts.webhooks.resume(saved.deliveries);
  parts.resume();
};
