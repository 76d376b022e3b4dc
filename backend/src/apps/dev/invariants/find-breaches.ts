import { holdingInvariants } from './holding-invariants.ts';
import type { AskDatabase, Invariant } from './invariant.ts';
import { orderInvariants } from './order-invariants.ts';
import { paymentInvariants } from './payment-invariants.ts';
import { recordInvariants } from './record-invariants.ts';

/** Everything that the database alone can be held to (architecture, section 4). */
export const invariants: readonly Invariant[] = [
  ...holdingInvariants,
  ...paymentInvariants,
  ...orderInvariants,
  ...recordInvariants,
];

export interface Breach {
  readonly invariant: string;
  readonly breach: string;
}

/** Every breach of every invariant; empty when all hold. It only reads. */
export const findBreaches = async (ask: AskDatabase): Promise<Breach[]> => {
  const found: Breach[] = [];
  for (const { name, sql } of invariants) {
    const rows = await ask<{ breach: string }>(sql);
    found.push(...rows.map(({ breach }) => ({ invariant: name, breach })));
  }
  return found;
};
