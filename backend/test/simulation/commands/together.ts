import type { UntypedAnswer } from '../../support/caller.ts';
import { Refuted, textOf, type Act, type Arguments, type Command, type Story } from '../story.ts';
import type { World } from '../model/world.ts';
import { buy, repeatBuy } from './buys.ts';
import { block } from './customers.ts';
import { moveJewellery, orderJewellery } from './jewellery.ts';
import { deliver, verify } from './payments.ts';
import { approvePayout, retryPayout } from './payouts.ts';
import { cancelPlan, payInstallment, skipDebit } from './plans.ts';
import { applyCode } from './referrals.ts';
import { resolve } from './reviews.ts';
import { sell } from './sales.ts';
import { cancelJewellery, recordCash } from './stock.ts';
import { drain, runJob, runSweep } from './worker.ts';
import { nothing } from './payments.ts';

/**
 * The steps that can run at the same time as another one, because their answers reveal their order.
 */
const parts = [
  orderJewellery,
  moveJewellery,
  cancelJewellery,
  recordCash,
  applyCode,
  buy,
  repeatBuy,
  block,
  deliver,
  verify,
  cancelPlan,
  payInstallment,
  skipDebit,
  resolve,
  approvePayout,
  retryPayout,
  sell,
  drain,
  runJob,
  runSweep,
];

/** Steps that may reserve a customer's gold, such as for a reversed payment. */
const reserves = new Set(['deliver', 'verify', 'drain', 'run-job', 'run-sweep', 'resolve']);

const noteWork = (world: World, names: readonly string[]): void => {
  if (!names.some((name) => reserves.has(name))) return;
  for (const [customer, { balance: grams }] of world.customers.entries()) {
    world.unanswered.push({ customer, amountPaise: 0, grams });
  }
};

const partOf = (name: string): Command | undefined => parts.find((one) => one.name === name);

const prepared = (story: Story, given: Arguments, side: string): Act | undefined => {
  const own = given[side];
  if (typeof own !== 'object' || Array.isArray(own)) return undefined;
  return partOf(textOf(given, `${side}Name`))?.prepare(story, own as Arguments);
};

/** Judges both answers as if one step had come before the other. */
const judgeInOrder = (
  world: World,
  steps: readonly (readonly [Act, UntypedAnswer])[],
): { readonly world: World } | { readonly error: Refuted } => {
  const copy = structuredClone(world);
  try {
    for (const [act, answer] of steps) act.judge(copy, answer);
    return { world: copy };
  } catch (error) {
    if (error instanceof Refuted) return { error };
    throw error;
  }
};

/** Two steps run at the same time. Their answers must be possible in one of the two orders. */
export const together: Command = {
  name: 'together',
  choose(story, decisions) {
    const first = decisions.pick(parts);
    const second = decisions.percent(35) ? first : decisions.pick(parts);
    const left = first?.choose(story, decisions);
    if (first === undefined || second === undefined || left === undefined) return undefined;
    const again = first === second && decisions.percent(40);
    const right = again
      ? left
      : second.choose({ ...story, nextKey: story.nextKey + 500_000 }, decisions);
    if (right === undefined) return undefined;
    return { leftName: first.name, left, rightName: second.name, right };
  },
  prepare(story, given) {
    const [left, right] = [prepared(story, given, 'left'), prepared(story, given, 'right')];
    if (left === undefined || right === undefined) return undefined;
    let answers: readonly [UntypedAnswer, UntypedAnswer] = [nothing, nothing];
    return {
      async call() {
        answers = await Promise.all([left.call(), right.call()]);
        return nothing;
      },
      judge(world) {
        const [one, other] = answers;
        noteWork(world, [textOf(given, 'leftName'), textOf(given, 'rightName')]);
        const inOrder = judgeInOrder(world, [
          [left, one],
          [right, other],
        ]);
        const reversed =
          'world' in inOrder
            ? inOrder
            : judgeInOrder(world, [
                [right, other],
                [left, one],
              ]);
        if ('error' in reversed) {
          const first = 'error' in inOrder ? inOrder.error.message : '';
          throw new Refuted(
            `together ${textOf(given, 'leftName')} and ${textOf(given, 'rightName')}`,
            `${first}; the other way round: ${reversed.error.message}`,
          );
        }
        Object.assign(world, reversed.world);
      },
    };
  },
};
