import type { OpenAnswer } from '../support/caller.ts';
import type { World } from './model/world.ts';
import type { Sessions } from './sessions.ts';
import type { Letter } from './system/post-office.ts';
import type { SimulatedSystem } from './system/open-system.ts';
import type { Decisions } from './seeded-random.ts';
import type { Snapshot } from './checks/read-snapshot.ts';

/** A story that is being played. */
export interface Story {
  readonly system: SimulatedSystem;
  readonly sessions: Sessions;
  /** The beliefs of the story. A step that was judged replaces them. */
  world: World;
  /** Webhooks that were sent and not delivered. */
  readonly mail: Letter[];
  /** The state of the database after the last step that wrote. */
  seen: Snapshot;
  /** Numbers the idempotency keys of this story. */
  nextKey: number;
  /** Steps that were played. */
  steps: number;
  /** Takes what collaborators have sent from the post office. */
  collectMail(): Promise<void>;
  /** Notes that a webhook was delivered to the service. */
  markTold(letter: Letter): void;
  /**
   * Reads the database where something was written, and holds it to rules and story, after taking
   * over what mandates paid, of so many of the newest payments.
   */
  look(payments?: number): Promise<void>;
}

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };
export type Arguments = { readonly [name: string]: Value };

/** A step of a story: data, so that it can be printed, kept and played again. */
export type Step = readonly [command: string, given: Arguments];

/** A step, with the answers that it may have. */
export interface Act {
  call(): Promise<OpenAnswer>;
  /** Changes the world as the answer says. @throws Refuted for an answer that may not be */
  judge(world: World, answer: OpenAnswer): void;
}

/** A kind of step. */
export interface Command {
  readonly name: string;
  /** Chooses the arguments of a step, by names of the story, or undefined if none fit. */
  choose(story: Story, decisions: Decisions): Arguments | undefined;
  /** Prepares the step, or undefined where what it names is not there, as after shrinking. */
  prepare(story: Story, given: Arguments): Act | undefined;
}

/** An answer, or a state, that the model does not allow. */
export class Refuted extends Error {
  /** Names the check, so that a shorter story must fail in the same way. */
  readonly check: string;

  constructor(check: string, detail: string) {
    super(`${check}: ${detail}`);
    this.check = check;
  }
}

export const answerText = ({ status, code }: OpenAnswer): string =>
  typeof code === 'string' ? `${status} ${code}` : String(status);

/** Checks that an answer is among the allowed answers, such as `201` or `400 LIMIT_EXCEEDED`. */
export const allow = (what: string, answer: OpenAnswer, allowed: readonly string[]): void => {
  const text = answerText(answer);
  if (allowed.includes(text)) return;
  throw new Refuted(
    `answer of ${what}`,
    `${text} is none of ${allowed.join(', ')}: ${JSON.stringify(answer.body).slice(0, 600)}`,
  );
};

/** Holds a figure to what the model has. */
export const same = (what: string, seen: unknown, expected: unknown): void => {
  if (JSON.stringify(seen) === JSON.stringify(expected)) return;
  throw new Refuted(what, `is ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`);
};

/** Refusals that contention and a busy machine may always give. */
export const busy = ['503 BUSY', '409 REQUEST_IN_PROGRESS'];

export const numberOf = (given: Arguments, name: string): number => {
  const value = given[name];
  return typeof value === 'number' ? value : 0;
};

export const textOf = (given: Arguments, name: string): string => {
  const value = given[name];
  return typeof value === 'string' ? value : '';
};

/** True while a collaborator may still misbehave, or did a moment ago. */
export const isTroubled = (world: World): boolean =>
  world.troubled.length > 0 || world.now < world.troubledUntil;
