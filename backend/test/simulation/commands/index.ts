import type { Command } from '../story.ts';
import {
  closeMonth,
  deleteAccount,
  readPortfolio,
  restart,
  rotateKeys,
  trespass,
} from './accounts.ts';
import { buy, repeatBuy } from './buys.ts';
import { block, reviewKyc, signUp, submitKyc } from './customers.ts';
import { moveJewellery, orderJewellery, repeatJewellery } from './jewellery.ts';
import { deliver, forge, lose, pay, reverse, verify } from './payments.ts';
import { cancelPlan, payInstallment, skipDebit, startPlan } from './plans.ts';
import { payQuote, quoteBuy } from './quotes.ts';
import { resolve, resolveSale } from './reviews.ts';
import { addAccount, approvePayout, endPayout, repeatSale, retryPayout, sell } from './sales.ts';
import { settle } from './settle.ts';
import { fault, mend, movePrice, setGate, setGateway, setLimits, setSpread } from './settings.ts';
import { together } from './together.ts';
import { advance, drain, runJob, runSweep } from './worker.ts';

/** Every kind of step, and how often it is tried beside the others. */
export const commands: readonly (readonly [weight: number, command: Command])[] = [
  [8, signUp],
  [3, submitKyc],
  [2, reviewKyc],
  [1, block],
  [60, buy],
  [8, repeatBuy],
  [8, quoteBuy],
  [10, payQuote],
  [55, pay],
  [75, deliver],
  [2, lose],
  [2, forge],
  [10, verify],
  [6, reverse],
  [70, runJob],
  [10, drain],
  [60, runSweep],
  [26, advance],
  [6, movePrice],
  [1, setSpread],
  [2, setLimits],
  [2, setGate],
  [2, setGateway],
  [6, fault],
  [4, mend],
  [10, addAccount],
  [26, sell],
  [5, repeatSale],
  [16, endPayout],
  [6, approvePayout],
  [8, retryPayout],
  [14, resolve],
  [6, resolveSale],
  [9, startPlan],
  [2, cancelPlan],
  [6, payInstallment],
  [3, skipDebit],
  [10, orderJewellery],
  [12, moveJewellery],
  [2, repeatJewellery],
  [2, deleteAccount],
  [4, trespass],
  [6, readPortfolio],
  [1, restart],
  [1, rotateKeys],
  [1, closeMonth],
  [16, together],
  [3, settle],
];

const byName = new Map(commands.map(([, command]) => [command.name, command]));

export const commandOf = (name: string): Command => {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no step is called ${name}`);
  return found;
};
