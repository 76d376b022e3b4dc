import { z } from 'zod';
import type { Demo, Step } from '../demo.types.ts';
import { showGrams } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import type { Order } from '../wire.ts';

const journalWire = z.object({
  entries: z.array(z.object({ idempotencyKey: z.string().optional() })),
});
const booksWire = z.object({
  items: z.array(z.object({ txId: z.int(), grams: z.string(), status: z.int() })),
});

/** How often the provider was told to carry out this transaction. */
const countConfirms = async ({ sandbox }: Demo, txId: string): Promise<number> => {
  const path = '/journal?collaborator=safegold&operation=buy-confirm';
  const { body } = await sandbox.ask({ method: 'GET', path, read: journalWire });
  return body.entries.filter(({ idempotencyKey }) => idempotencyKey === txId).length;
};

const compare = async (demo: Demo, { sg_tx_id: txId, grams }: Order): Promise<string> => {
  const books = await demo.sandbox.ask({ method: 'GET', path: '/transactions', read: booksWire });
  const theirs = books.body.items.find((item) => String(item.txId) === txId);
  expectThat(theirs !== undefined, `the provider does not know transaction ${txId}`);
  expectThat(theirs.status === 1, `the provider's status of it is ${theirs.status}, not 1 (done)`);
  expectThat(theirs.grams === grams, `the provider sold ${theirs.grams} g, not ${grams}`);
  const confirms = await countConfirms(demo, txId);
  expectThat(confirms === 1, `transaction ${txId} was confirmed ${confirms} times`);
  return `transaction ${txId}: ${showGrams(theirs.grams)} sold, with one confirm`;
};

/** One order, one purchase: the provider's own books say the same as ours. */
export const compareProvider: Step = {
  title: "The gold provider's books agree",
  run: async (demo) => [
    await compare(demo, demo.recall('buy').order),
    await compare(demo, demo.recall('secondOrder')),
  ],
};
