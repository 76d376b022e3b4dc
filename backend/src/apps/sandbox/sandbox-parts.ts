import type { Clock } from '../../platform/clock/clock.ts';
import { createTimers } from '../../platform/clock/timers.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { createCashfree } from './collaborators/cashfree/cashfree.ts';
import { createGateway } from './collaborators/gateway/gateway.ts';
import { createGithub } from './collaborators/github/github.ts';
import { createAwsKms } from './collaborators/key-service/aws-kms.ts';
import { createKeyStore } from './collaborators/key-service/key-store.ts';
import { createVaultTransit } from './collaborators/key-service/vault-transit.ts';
import { createMessageStore, createMsg91 } from './collaborators/msg91/msg91.ts';
import { createRazorpayGateway } from './collaborators/razorpay/razorpay.ts';
import { createRazorpayx } from './collaborators/razorpayx/razorpayx.ts';
import { createPriceSource } from './collaborators/safegold/price-source.ts';
import { createSafegoldStore } from './collaborators/safegold/safegold-store.ts';
import { createSafegold } from './collaborators/safegold/safegold.ts';
import type { Collaborator } from './core/collaborator.ts';
import { createBackgroundWork } from './core/background-work.ts';
import type { PayoutSimulator } from './core/payout-simulator.ts';
import type { RunSimulator } from './core/run-simulator.ts';
import type { CheckoutSimulator } from './core/checkout-simulator.ts';
import type { GatewayDeps, SimulatedGateway } from './core/create-checkout-simulator.ts';
import { createWebhookOutbox } from './core/webhook-outbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { createFaultRegistry } from './state/fault-registry.ts';
import { createJournal } from './state/journal.ts';
import { createMovableClock } from './state/movable-clock.ts';

/** The parts of a sandbox. */
export type SandboxParts = ReturnType<typeof createSandboxParts>;

/** Returns the secret that signs, which is the first that the service accepts. */
const signingSecret = ([first]: readonly string[]): string => {
  if (first === undefined) throw new Error('webhooks need a secret');
  return first;
};

/** Creates the payment gateways. To add a gateway, add a row here. */
const createGateways = (
  options: SandboxOptions,
  deps: GatewayDeps,
): readonly SimulatedGateway[] => [
  createGateway({
    ...deps,
    keyId: options.gatewayKeyId,
    keySecret: options.gatewayKeySecret,
    webhookSecret: signingSecret(options.gatewayWebhookSecrets),
  }),
  createCashfree({
    ...deps,
    clientId: options.cashfreeClientId,
    clientSecret: options.cashfreeClientSecret,
    webhookSecret: signingSecret(options.cashfreeWebhookSecrets),
  }),
  createRazorpayGateway({
    ...deps,
    keyId: options.razorpayKeyId,
    keySecret: options.razorpayKeySecret,
    webhookSecret: signingSecret(options.razorpayWebhookSecrets),
  }),
];

/** Creates the collaborators and their simulators. */
const createCollaborators = (options: SandboxOptions, deps: GatewayDeps, system: Clock) => {
  const { clock, random, changed, settleMs } = deps;
  const prices = createPriceSource(clock);
  const safegoldStore = createSafegoldStore(clock, system);
  const messages = createMessageStore(clock);
  const gateways = createGateways(options, deps);
  const razorpayx = createRazorpayx({
    ...deps,
    webhookSecret: signingSecret(options.payoutWebhookSecrets),
    keyId: options.razorpayxKeyId,
    keySecret: options.razorpayxKeySecret,
    accountNumber: options.razorpayxAccountNumber,
  });
  const github = createGithub({ system, settleMs, token: options.githubToken, changed });

  // This is the registry. To add a collaborator, add a row here.
  const collaborators: readonly Collaborator[] = [
    createSafegold({
      store: safegoldStore,
      prices,
      clock,
      enforcesKycLimits: options.enforcesKycLimits,
      token: options.safegoldToken,
    }),
    ...gateways.map(({ collaborator }) => collaborator),
    createMsg91({ messages, random, authKey: options.msg91AuthKey }),
    razorpayx.collaborator,
    github.collaborator,
    createAwsKms({ keys: createKeyStore(changed), accessKeyId: options.awsKmsAccessKeyId }),
    createVaultTransit({ keys: createKeyStore(changed), token: options.vaultToken }),
  ];
  const checkoutSimulators: readonly CheckoutSimulator[] = gateways.map(
    ({ simulator }) => simulator,
  );
  const payoutSimulator: PayoutSimulator = razorpayx.simulator;
  const runSimulator: RunSimulator = github.simulator;

  return {
    prices,
    messages,
    safegoldStore,
    collaborators,
    checkoutSimulators,
    payoutSimulator,
    runSimulator,
    /** Resumes the debits, payouts and penny-drops that an earlier process left open. */
    resume: () => {
      for (const { simulator } of gateways) simulator.resume();
      razorpayx.simulator.resume();
    },
  };
};

/** Creates the parts. They call `changed` whenever the saved state may have changed. */
export const createSandboxParts = (options: SandboxOptions, changed: () => void) => {
  const { systemClock: system } = options;
  const clock = createMovableClock(system);
  const timers = createTimers();
  const random = createRandom();
  const backgroundWork = createBackgroundWork();
  const target = { url: options.customerBaseUrl };
  const faults = createFaultRegistry(random);
  const outbox = createWebhookOutbox({
    targetUrl: () => target.url,
    timers,
    random,
    backgroundWork,
    changed,
    isLost: (from) => faults.takeLostWebhook(from),
    backoffMs: options.webhookBackoffMs,
  });
  const { hangMs, settleMs, addsOddRows } = options;
  const deps = { clock, timers, random, backgroundWork, outbox, changed, settleMs };
  return {
    clock,
    timers,
    random,
    backgroundWork,
    target,
    changed,
    hangMs,
    addsOddRows,
    journal: createJournal(clock),
    faults,
    outbox,
    ...createCollaborators(options, deps, system),
  };
};
