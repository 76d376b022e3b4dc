import type { TestServers } from '../support/test-servers.ts';
import { openStory } from './open-story.ts';
import { checkOf, playStep } from './play-step.ts';
import type { Step, Story } from './story.ts';

/** The failure of a story. */
export interface Failure {
  readonly check: string;
  readonly text: string;
  /** The steps that were played. The step that failed is the last. */
  readonly steps: readonly Step[];
  /** The newest warnings and errors of the log. */
  readonly logged: string;
}

type NextStep = (story: Story) => Step | undefined;

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

const newestWarnings = (log: string): string =>
  log
    .split('\n')
    .filter((line) => !line.includes('not understood'))
    .slice(-6)
    .join('\n');

/** Plays steps on separate stores, until there are no more or one fails. */
export const playStory = async (
  servers: TestServers,
  next: NextStep,
  atEnd: (story: Story) => void = () => {},
): Promise<Failure | undefined> => {
  const stores = await servers.acquire('seeded');
  const story = await openStory(stores);
  const steps: Step[] = [];
  try {
    for (;;) {
      const step = next(story);
      if (step === undefined) break;
      steps.push(step);
      await playStep(story, step);
    }
    atEnd(story);
    return undefined;
  } catch (error) {
    const logged = newestWarnings(story.system.logged());
    return { check: checkOf(error), text: textOf(error).slice(0, 1500), steps, logged };
  } finally {
    await story.close();
    await servers.release(stores.name);
  }
};

/** Plays the steps of a list. */
export const playSteps = (
  servers: TestServers,
  steps: readonly Step[],
): Promise<Failure | undefined> => {
  let at = 0;
  return playStory(servers, () => steps[(at += 1) - 1]);
};
