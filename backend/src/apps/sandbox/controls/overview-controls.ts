import type { Router } from 'express';
import { operationNames } from '../core/collaborator.ts';
import { control } from './control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';
import { faultKinds } from '../state/fault-registry.ts';
import { clockView } from './clock-controls.ts';
import { priceView } from './price-controls.ts';
import { transactionView } from './transaction-controls.ts';

const shownCount = 25;

const overview = (parts: SandboxParts) => ({
  clock: clockView(parts.clock),
  price: priceView(parts),
  messages: parts.messages.list().slice(0, shownCount),
  checkouts: parts.checkoutSimulators.flatMap((simulator) => simulator.checkouts(shownCount)),
  payouts: parts.payoutSimulator.payouts(shownCount),
  validations: parts.payoutSimulator.validations(shownCount),
  transactions: parts.safegoldStore.newestTransactions(shownCount).map(transactionView),
  runs: parts.runSimulator.runs(shownCount),
  webhooks: parts.outbox
    .newest(shownCount)
    .map(({ body: _body, headers: _headers, ...delivery }) => delivery),
  faults: parts.faults.list(),
  faultKinds,
  collaborators: parts.collaborators.map((collaborator) => ({
    name: collaborator.name,
    operations: operationNames(collaborator),
  })),
  journal: parts.journal.newest(shownCount * 2),
});

/** Adds `/_control/overview` for the page, and `/_control/reset` for tests. */
export const overviewControls = (router: Router, parts: SandboxParts): void => {
  router.get(
    '/overview',
    control(() => ({ body: overview(parts) })),
  );
  router.post(
    '/reset',
    control(() => {
      parts.backgroundWork.restart();
      for (const { store } of parts.collaborators) store.clear();
      parts.journal.clear();
      parts.faults.clear();
      parts.outbox.clear();
      parts.prices.follow();
      parts.clock.reset();
      parts.changed();
      return { body: { reset: true } };
    }),
  );
};
