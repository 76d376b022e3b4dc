import type { Command } from '../story.ts';
import { closeMonth, reopenMonth, signOff } from './accounting.ts';
import { deleteAccount, readPortfolio, restart, rotateKeys, trespass } from './accounts.ts';
import { buy, repeatBuy } from './buys.ts';
import { block, reviewKyc, signUp, submitKyc } from './customers.ts';
import { moveJewellery, orderJewellery, repeatJewellery } from './jewellery.ts';
import { deliver, forge, lose, pay, reverse, verify } from './payments.ts';
import { loseAnswer } from './lost-answers.ts';
import { cancelPlan, payInstallment, skipDebit, startPlan } from './plans.ts';
import { approvePayout, endPayout, retryPayout } from './payouts.ts';
import { pausePlan, resumePlan, skipNext } from './plan-changes.ts';
import { payQuote, quoteBuy } from './quotes.ts';
import { prove } from './prove.ts';
import { applyCode, moveReward } from './referrals.ts';
import { resolve, resolveSale } from './reviews.ts';
import { addAccount, repeatSale, sell } from './sales.ts';
import { quoteSale } from './sell-quotes.ts';
import { rush } from './rush.ts';
import { settle } from './settle.ts';
import { fault, mend, movePrice, setGate, setGateway, setLimits, setSpread } from './settings.ts';
import { cancelJewellery, nameParcel, recordCash, setStock } from './stock.ts';
import { together } from './together.ts';
import { advance, drain, runJob, runSweep } from './worker.ts';

/** Every kind of step with its weight. A kind with a larger weight is chosen more often. */
export const commands: readonly (readonly [weight: number, command: Command])[] = [
  [8, signUp],
  [6, submitKyc],
  [8, reviewKyc],
  [8, block],
  [60, buy],
  [8, repeatBuy],
  [8, quoteBuy],
  [10, payQuote],
  [55, pay],
  [75, deliver],
  [2, lose],
  [1, forge],
  [10, verify],
  [6, reverse],
  [70, runJob],
  [10, drain],
  [60, runSweep],
  [26, advance],
  [6, movePrice],
  [1, setSpread],
  [5, setLimits],
  [16, setGate],
  [12, setGateway],
  [6, fault],
  [5, loseAnswer],
  [14, mend],
  [10, addAccount],
  [26, sell],
  [8, quoteSale],
  [5, repeatSale],
  [16, endPayout],
  [6, approvePayout],
  [8, retryPayout],
  [14, resolve],
  [6, resolveSale],
  [9, startPlan],
  [2, cancelPlan],
  [4, pausePlan],
  [4, resumePlan],
  [5, skipNext],
  [6, payInstallment],
  [3, skipDebit],
  [10, orderJewellery],
  [12, moveJewellery],
  [2, repeatJewellery],
  [3, cancelJewellery],
  [2, setStock],
  [3, recordCash],
  [1, nameParcel],
  [5, applyCode],
  [5, moveReward],
  [2, deleteAccount],
  [4, trespass],
  [6, readPortfolio],
  [1, restart],
  [1, rotateKeys],
  [1, signOff],
  [1, closeMonth],
  [1, reopenMonth],
  [16, together],
  [12, rush],
  [5, prove],
  [3, settle],
];

const byName = new Map(commands.map(([, command]) => [command.name, command]));

export const commandOf = (name: string): Command => {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no step is called ${name}`);
  return found;
};
