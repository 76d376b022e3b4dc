import type { UntypedAnswer } from '../support/caller.ts';
import type { World } from './model/world.ts';
import type { Sessions } from './sessions.ts';
import type { PendingWebhook } from './system/webhook-recorder.ts';
import type { SimulatedSystem } from './system/open-system.ts';
import type { Decisions } from './seeded-random.ts';
import type { Snapshot } from './checks/read-snapshot.ts';

/** A story that is being played. */
export interface Story {
  readonly system: SimulatedSystem;
  readonly sessions: Sessions;
  /** The expected state of the service, which each step changes by its answer. */
  world: World;
  /** Webhooks that were sent and are not yet delivered. */
  readonly pendingWebhooks: PendingWebhook[];
  /** The state of the database after the last step that wrote. */
  seen: Snapshot;
  /** The number of the next idempotency key of this story. */
  nextKey: number;
  /** The number of played steps. */
  steps: number;
  /** Moves the webhooks of the collaborators from the webhook recorder to `pendingWebhooks`. */
  collectWebhooks(): Promise<void>;
  /** Records that a webhook was delivered to the service. */
  markTold(webhook: PendingWebhook): void;
  /**
   * Reads the rows that were written, and checks them against the rules and the story. Before that,
   * it adds payments by mandate from the newest `payments` payments to the story.
   */
  look(payments?: number): Promise<void>;
}

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };
export type Arguments = { readonly [name: string]: Value };

/** A step of a story. It is data, so that it can be printed, stored and played again. */
export type Step = readonly [command: string, given: Arguments];

/** A prepared step, which can check its answer. */
export interface Act {
  call(): Promise<UntypedAnswer>;
  /**
   * Changes the world by the answer.
   * @throws Refuted for an answer that is not allowed
   */
  judge(world: World, answer: UntypedAnswer): void;
}

/** A kind of step. */
export interface Command {
  readonly name: string;
  /** Chooses the arguments of a step, or undefined if none fit the story. */
  choose(story: Story, decisions: Decisions): Arguments | undefined;
  /**
   * Prepares the step. Returns undefined if something that it names does not exist, as after
   * shrinking.
   */
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

export const answerText = ({ status, code }: UntypedAnswer): string =>
  typeof code === 'string' ? `${status} ${code}` : String(status);

/** Checks that an answer is among the allowed answers, such as `201` or `400 LIMIT_EXCEEDED`. */
export const allow = (what: string, answer: UntypedAnswer, allowed: readonly string[]): void => {
  const text = answerText(answer);
  if (allowed.includes(text)) return;
  throw new Refuted(
    `answer of ${what}`,
    `${text} is none of ${allowed.join(', ')}: ${JSON.stringify(answer.body).slice(0, 600)}`,
  );
};

/** Compares a value with the model's. */
export const same = (what: string, seen: unknown, expected: unknown): void => {
  if (JSON.stringify(seen) === JSON.stringify(expected)) return;
  throw new Refuted(what, `is ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`);
};

/** Refusals that are always possible, because of contention or a busy machine. */
export const busy = ['503 BUSY', '409 REQUEST_IN_PROGRESS'];

export const numberOf = (given: Arguments, name: string): number => {
  const value = given[name];
  return typeof value === 'number' ? value : 0;
};

export const textOf = (given: Arguments, name: string): string => {
  const value = given[name];
  return typeof value === 'string' ? value : '';
};

/** Returns true while a collaborator may still misbehave. */
export const hasFaults = (world: World): boolean => world.troubled.length > 0;
