import { numberOf, textOf, type Command } from '../story.ts';
import { nothing } from './payments.ts';

/** Calls that change something, each with the call that queries its result. */
const calls = [
  { collaborator: 'safegold', does: 'buy-confirm', asks: 'buy-status' },
  { collaborator: 'safegold', does: 'buy-confirm', asks: 'buy-status' },
  { collaborator: 'safegold', does: 'sell-confirm', asks: 'sell-status' },
  { collaborator: 'razorpayx', does: 'create-payout', asks: 'list-payouts' },
] as const;

/**
 * The collaborator does the next call but its answer is lost, and queries of its result fail for a
 * while. A service that takes silence for a refusal would then do it twice, or abandon it.
 */
export const loseAnswer: Command = {
  name: 'lose-answer',
  choose({ world, seen }, { pick, int }) {
    // A paid buy waits for its gold. Without one, the fault is for a later sale or payout.
    const isAwaited = [...seen.orders.values()].some(({ status }) => status === 'PAID');
    if (world.troubled.length > 0 || (!isAwaited && int(4) > 0)) return undefined;
    const { collaborator, does, asks } = pick(isAwaited ? calls.slice(0, 2) : calls) ?? calls[0];
    return { collaborator, does, asks, times: 1 + int(4) };
  },
  prepare({ system }, given) {
    const collaborator = textOf(given, 'collaborator');
    const faults = [
      { operation: textOf(given, 'does'), fault: 'accept_then_timeout', times: 1 },
      { operation: textOf(given, 'asks'), fault: 'error', times: numberOf(given, 'times') },
    ];
    return {
      async call() {
        for (const one of faults)
          await system.tryControl('POST', '/faults', { collaborator, ...one });
        return nothing;
      },
      judge: (changed) => void changed.troubled.push(collaborator),
    };
  },
};
