import { createSystemClock } from '../../platform/clock/clock.ts';
import { createTimers } from '../../platform/clock/timers.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { createGatewayBooks } from './collaborators/gateway/gateway-books.ts';
import { createGatewayTill } from './collaborators/gateway/gateway-till.ts';
import { createGateway } from './collaborators/gateway/gateway.ts';
import { createGithub } from './collaborators/github/github.ts';
import { createMessageBook } from './collaborators/msg91/message-book.ts';
import { createMsg91 } from './collaborators/msg91/msg91.ts';
import { createRazorpayx } from './collaborators/razorpayx/razorpayx.ts';
import { createPriceSource } from './collaborators/safegold/price-source.ts';
import { createSafegoldBooks } from './collaborators/safegold/safegold-books.ts';
import { createSafegold } from './collaborators/safegold/safegold.ts';
import type { Collaborator } from './kit/collaborator.ts';
import { createLife } from './kit/life.ts';
import type { PayoutDesk } from './kit/payout-desk.ts';
import type { RunDesk } from './kit/run-desk.ts';
import type { Till } from './kit/till.ts';
import { createWebhookSender } from './kit/webhook-sender.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { createFaultBook } from './state/fault-book.ts';
import { createJournal } from './state/journal.ts';
import { createMovableClock } from './state/movable-clock.ts';

/** Everything that a sandbox consists of. */
export type SandboxParts = ReturnType<typeof createSandboxParts>;

/** Of the secrets that the service accepts, the one that signs. */
const signingSecret = ([first]: readonly string[]): string => {
  if (first === undefined) throw new Error('webhooks need a secret');
  return first;
};

/** Makes the parts; `changed` is called whenever what is worth keeping may have changed. */
export const createSandboxParts = (options: SandboxOptions, changed: () => void) => {
  const system = createSystemClock();
  const clock = createMovableClock(system);
  const timers = createTimers();
  const random = createRandom();
  const life = createLife();
  const target = { url: options.customerBaseUrl };

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
    webhookSecret: signingSecret(options.gatewayWebhookSecrets),
    settleMs,
  });

  const razorpayx = createRazorpayx({
    clock,
    timers,
    random,
    life,
    webhooks,
    changed,
    settleMs,
    webhookSecret: signingSecret(options.payoutWebhookSecrets),
    keyId: options.razorpayxKeyId,
    keySecret: options.razorpayxKeySecret,
    accountNumber: options.razorpayxAccountNumber,
  });

  const github = createGithub({ system, settleMs, token: options.githubToken, changed });

  // The registry: a new outside party is one more row here, and its till, where it takes payments.
  const collaborators: readonly Collaborator[] = [
    createSafegold(
      { books: safegoldBooks, prices, clock, enforcesKycLimits: options.enforcesKycLimits },
      options.safegoldToken,
    ),
    createGateway({ books: gatewayBooks, till: gatewayTill, keyId, keySecret }),
    createMsg91({ messages, random, authKey: options.msg91AuthKey }),
    razorpayx.collaborator,
    github.collaborator,
  ];
  const tills: readonly Till[] = [gatewayTill];
  const payoutDesk: PayoutDesk = razorpayx.desk;
  const runDesk: RunDesk = github.desk;

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
    payoutDesk,
    runDesk,
    /** Goes on with what was settling when an earlier process ended. */
    resume: () => {
      for (const debit of gatewayBooks.pendingDebits()) gatewayTill.settleLater(debit);
      razorpayx.desk.resume();
    },
  };
};
