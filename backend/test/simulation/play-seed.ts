import type { TestServers } from '../support/test-servers.ts';
import { chooseStep } from './play-step.ts';
import { playStory } from './play-story.ts';
import { printStory } from './print-story.ts';
import { createDecisions } from './seeded-random.ts';
import { shrink } from './shrink.ts';
import type { Story } from './story.ts';

interface SeedOptions {
  readonly servers: TestServers;
  readonly seed: number;
  readonly steps: number;
  readonly print: (line: string) => void;
  /** The maximum number of tries to shorten a failed story. */
  readonly tries: number;
}

/** Plays a story of `steps` steps with one seed. Returns their number if every check passed. */
export const playSeed = async (options: SeedOptions): Promise<number | undefined> => {
  const { servers, seed, steps, print, tries } = options;
  const decisions = createDecisions(seed);
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const next = (story: Story) => (story.steps < steps ? chooseStep(story, decisions) : undefined);
  const failure = await playStory(servers, next, ({ world, steps: count, system }) => {
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system: kernel } = process.cpuUsage(cpu);
    const busySeconds = (user + kernel) / 1_000_000;
    const rate = (count / seconds).toFixed(0);
    const day = system.clock.now().toISOString().slice(0, 10);
    print(
      `seed ${seed}: ${count} steps in ${seconds.toFixed(1)} s (${busySeconds.toFixed(1)} s of ` +
        `the processor), ${rate} a second, until ${day}; ${world.buys.length} buys, ` +
        `${world.sales.length} sales, ${world.plans.length} plans`,
    );
  });
  if (failure === undefined) return steps;
  print(`seed ${seed} failed at step ${failure.steps.length}: ${failure.check}`);
  print(failure.text);
  print(failure.logged);
  const shortest = await shrink(servers, failure, { tries, print });
  print(`to play it again: make simulate SEED=${seed} STEPS=${steps}`);
  if (tries > 0) print(printStory(shortest));
  return undefined;
};
