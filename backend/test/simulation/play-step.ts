import { commandOf, commands } from './commands/index.ts';
import type { Decisions } from './seeded-random.ts';
import { Refuted, type Step, type Story } from './story.ts';

/** Steps after which no collaborator has sent a webhook. */
const quiet = new Set(['advance', 'trespass', 'read-portfolio', 'move-price', 'set-limits']);

/** Chooses the next step of a story. */
export const chooseStep = (story: Story, decisions: Decisions): Step => {
  const people = story.world.customers.length;
  if (people < 3) return ['sign-up', { c: people, approve: true }];
  for (;;) {
    const command = decisions.weighted(commands);
    const given = command?.choose(story, decisions);
    if (command !== undefined && given !== undefined) return [command.name, given];
  }
};

/** Plays a step and checks its result. Returns false if it does not fit the story any more. */
export const playStep = async (story: Story, [name, given]: Step): Promise<boolean> => {
  story.world.now = story.system.clock.now().getTime();
  story.world.unanswered.splice(0);
  const act = commandOf(name).prepare(story, given);
  if (act === undefined) return false;
  const answer = await act.call();
  act.judge(story.world, answer);
  story.nextKey += 1;
  story.steps += 1;
  if (!quiet.has(name)) await story.collectWebhooks();
  const isWork = name.startsWith('run-') || name === 'drain' || name === 'together';
  await story.look(isWork ? 50 : 0);
  return true;
};

/**
 * Returns the name of the failed check. An error that is not the model's is an error of the
 * service.
 */
export const checkOf = (error: unknown): string =>
  error instanceof Refuted ? error.check : `error: ${String(error).split('\n')[0]}`;
