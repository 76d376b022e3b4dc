import { createSystemClock } from '../../platform/clock/clock.ts';
import { createTimers } from '../../platform/clock/timers.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { createGatewayBooks } from './collaborators/gateway/gateway-books.ts';
import { createGatewayTill } from './collaborators/gateway/gateway-till.ts';
import { createGateway } from './collaborators/gateway/gateway.ts';
import { createMessageBook } from './collaborators/msg91/message-book.ts';
import { createMsg91 } from './collaborators/msg91/msg91.ts';
import { createPriceSource } from './collaborators/safegold/price-source.ts';
import { createSafegoldBooks } from './collaborators/safegold/safegold-books.ts';
import { createSafegold } from './collaborators/safegold/safegold.ts';
import type { Collaborator } from './kit/collaborator.ts';
import { createLife } from './kit/life.ts';
import type { Till } from './kit/till.ts';
import { createWebhookSender } from './kit/webhook-sender.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { createFaultBook } from './state/fault-book.ts';
import { createJournal } from './state/journal.ts';
import { createMovableClock } from './state/movable-clock.ts';

/** Everything that a sandbox consists of. */
export type SandboxParts = ReturnType<typeof createSandboxParts>;

/** Makes the parts; `changed` is called whenever what is worth keeping may have changed. */
export const createSandboxParts = (options: SandboxOptions, changed: () => void) => {
  const system = createSystemClock();
  const clock = createMovableClock(system);
  const timers = createTimers();
  const random = createRandom();
  const life = createLife();
  const target = { url: options.customerBaseUrl };
  const [webhookSecret] = options.gatewayWebhookSecrets;
  if (webhookSecret === undefined) throw new Error('the gateway needs a webhook secret');

  const webhooks = createWebhookSender({
    targetUrl: () => target.url,
    timers,
    random,
    life,
    changed,
    backoffMs: options.webhookBackoffMs,
  });
  const prices = createPriceSource(clock);
  const safegoldBooks = createSafegoldBooks(clock, system);
  const messages = createMessageBook(clock);
  const gatewayBooks = createGatewayBooks(clock, random);
  const { gatewayKeyId: keyId, gatewayKeySecret: keySecret, settleMs } = options;
  const gatewayTill = createGatewayTill({
    books: gatewayBooks,
    clock,
    timers,
    random,
    life,
    webhooks,
    changed,
    keySecret,
    webhookSecret,
    settleMs,
  });

  // The registry: a new outside party is one more row here, and its till, where it takes payments.
  const collaborators: readonly Collaborator[] = [
    createSafegold(
      { books: safegoldBooks, prices, clock, enforcesKycLimits: options.enforcesKycLimits },
      options.safegoldToken,
    ),
    createGateway({ books: gatewayBooks, till: gatewayTill, keyId, keySecret }),
    createMsg91({ messages, random, authKey: options.msg91AuthKey }),
  ];
  const tills: readonly Till[] = [gatewayTill];

  return {
    clock,
    timers,
    random,
    life,
    target,
    changed,
    journal: createJournal(clock),
    faults: createFaultBook(random),
    webhooks,
    prices,
    messages,
    safegoldBooks,
    collaborators,
    tills,
    /** Goes on with what was settling when an earlier process ended. */
    resume: () => gatewayBooks.pendingDebits().forEach((debit) => gatewayTill.settleLater(debit)),
  };
};
