import type { Demo, Order, Step } from '../demo.types.ts';
import { showGrams } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

/** Counts how often the provider was told to carry out this transaction. */
const countConfirms = async ({ sandbox }: Demo, txId: string): Promise<number> => {
  const query = { collaborator: 'safegold', operation: 'buy-confirm' };
  const { body } = await sandbox.get('/_control/journal', { query });
  return body.entries.filter(({ idempotencyKey }) => idempotencyKey === txId).length;
};

const compare = async (demo: Demo, { sg_tx_id, grams }: Order): Promise<string> => {
  const txId = expectPresent(sg_tx_id, "provider's transaction of the order");
  const books = await demo.sandbox.get('/_control/transactions');
  const theirs = books.body.items.find((item) => String(item.txId) === txId);
  expectThat(theirs !== undefined, `the provider does not know transaction ${txId}`);
  expectThat(theirs.status === 1, `the provider's status of it is ${theirs.status}, not 1 (done)`);
  expectThat(theirs.grams === grams, `the provider sold ${theirs.grams} g, not ${grams ?? 'any'}`);
  const confirms = await countConfirms(demo, txId);
  expectThat(confirms === 1, `transaction ${txId} was confirmed ${confirms} times`);
  return `transaction ${txId}: ${showGrams(theirs.grams)} sold, with one confirm`;
};

/** One order, one purchase: the provider's own books say the same as ours. */
export const compareProvider: Step = {
  title: "The gold provider's books agree",
  run: async (demo) => [
    await compare(demo, demo.readState('buy').order),
    await compare(demo, demo.readState('secondOrder')),
  ],
};
