import type { TestServers } from '../support/test-servers.ts';
import { playSteps, type Failure } from './play-story.ts';
import type { Step } from './story.ts';

interface ShrinkOptions {
  /** The maximum number of stories to play. */
  readonly tries: number;
  readonly print: (line: string) => void;
}

/** Returns the steps without a chunk of them. */
const without = (steps: readonly Step[], from: number, count: number): readonly Step[] => [
  ...steps.slice(0, from),
  ...steps.slice(from + count),
];

/**
 * Looks for a shorter story that fails in the same check. It leaves out halves, then smaller
 * chunks, then single steps (delta debugging). Steps that no longer fit are skipped when the story
 * is played.
 */
export const shrink = async (
  servers: TestServers,
  failure: Failure,
  { tries, print }: ShrinkOptions,
): Promise<Failure> => {
  let shortest = failure;
  const budget = { left: tries };
  const fails = async (steps: readonly Step[]): Promise<boolean> => {
    budget.left -= 1;
    const found = await playSteps(servers, steps);
    if (found?.check !== failure.check) return false;
    shortest = found;
    return true;
  };
  // The unchanged story is played first, since a story that now ends in another way cannot be
  // shortened.
  if (budget.left > 0 && !(await fails(failure.steps))) {
    print('played again, it ends otherwise: it is not shortened');
    return failure;
  }
  for (let chunk = Math.ceil(shortest.steps.length / 2); chunk >= 1 && budget.left > 0;) {
    let isShorter = false;
    // It starts at the end, since the cause of a failure is usually shortly before it.
    for (let at = shortest.steps.length - 1 - chunk; at > -chunk && budget.left > 0; at -= chunk) {
      const steps = without(shortest.steps, Math.max(0, at), chunk);
      if (await fails(steps)) isShorter = true;
    }
    print(`shortened to ${shortest.steps.length} steps, ${budget.left} tries left`);
    if (chunk === 1 && !isShorter) break;
    chunk = chunk === 1 ? 1 : Math.ceil(chunk / 2);
  }
  return shortest;
};
