import type { PayoutPlay, ValidationPlay } from '../../core/payout-simulator.ts';

/** What settles by itself to something else, or (undefined) not at all, by the account number's
 * end (contract: collaborators > Sandbox outcomes). */
const payoutEndings: ReadonlyMap<string, PayoutPlay['outcome'] | undefined> = new Map([
  ['7777', 'failed'],
  ['9999', undefined],
]);
const validationEndings: ReadonlyMap<string, ValidationPlay['outcome'] | undefined> = new Map([
  ['0000', 'failed'],
  ['8888', undefined],
]);

/** How a payout to this account ends by itself; undefined when it stays open. */
export const payoutEnding = (last4: string): PayoutPlay['outcome'] | undefined =>
  payoutEndings.has(last4) ? payoutEndings.get(last4) : 'processed';

/** How a penny-drop of this account ends by itself; undefined when it stays open. */
export const validationEnding = (last4: string): ValidationPlay['outcome'] | undefined =>
  validationEndings.has(last4) ? validationEndings.get(last4) : 'active';
