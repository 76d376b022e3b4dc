import type { StackKeys } from './stack-config.ts';

/** A wrong key, and what is allowed there. */
export interface Problem {
  /** Path below `digital-gold:`, such as `image.tag`. */
  readonly path: string;
  readonly message: string;
}

/** Says what is wrong with a configuration whose keys are each right by themselves. */
export type Rule = (config: StackKeys) => readonly Problem[];

/**
 * Returns true when the processes refuse everything made for tests, so that a stack reports it
 * first.
 */
export const isLive = ({ tier, appMode }: StackKeys): boolean =>
  tier === 'prod' || appMode === 'production';

/** Returns a problem if the condition holds, else none. */
export const problemIf = (isBroken: boolean, path: string, message: string): readonly Problem[] =>
  isBroken ? [{ path, message }] : [];
