import type { Router } from 'express';
import { operationNames } from '../kit/collaborator.ts';
import { control } from '../kit/control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';
import { faultKinds } from '../state/fault-book.ts';
import { clockView } from './clock-controls.ts';
import { priceView } from './price-controls.ts';
import { transactionView } from './transaction-controls.ts';

const shown = 25;

const overview = (parts: SandboxParts) => ({
  clock: clockView(parts.clock),
  price: priceView(parts),
  messages: parts.messages.list().slice(0, shown),
  checkouts: parts.tills.flatMap((till) => till.checkouts(shown)),
  payouts: parts.payoutDesk.payouts(shown),
  validations: parts.payoutDesk.validations(shown),
  transactions: parts.safegoldBooks.newestTransactions(shown).map(transactionView),
  runs: parts.runDesk.runs(shown),
  webhooks: parts.webhooks
    .newest(shown)
    .map(({ body: _body, headers: _headers, ...delivery }) => delivery),
  faults: parts.faults.list(),
  faultKinds,
  collaborators: parts.collaborators.map((collaborator) => ({
    name: collaborator.name,
    operations: operationNames(collaborator),
  })),
  journal: parts.journal.newest(shown * 2),
});

/** `/_control/overview` for the page for people, and `/_control/reset` for tests. */
export const overviewControls = (router: Router, parts: SandboxParts): void => {
  router.get(
    '/overview',
    control(() => ({ body: overview(parts) })),
  );
  router.post(
    '/reset',
    control(() => {
      parts.life.restart();
      for (const { books } of parts.collaborators) books.clear();
      parts.journal.clear();
      parts.faults.clear();
      parts.webhooks.clear();
      parts.prices.follow();
      parts.clock.reset();
      parts.changed();
      return { body: { reset: true } };
    }),
  );
};
