import type { StackKeys } from './stack-config.ts';

/** A problem of a key. */
export interface Problem {
  /** The path below `digital-gold:`, such as `image.tag`. */
  readonly path: string;
  readonly message: string;
}

/** Returns the problems between the keys of a configuration, each of which is valid by itself. */
export type Rule = (config: StackKeys) => readonly Problem[];

/**
 * Returns true if the processes would refuse test credentials and the sandbox. A stack then reports
 * them before it changes anything.
 */
export const isLive = ({ tier, appMode }: StackKeys): boolean =>
  tier === 'prod' || appMode === 'production';

/** Returns a problem if the condition holds, else none. */
export const problemIf = (isBroken: boolean, path: string, message: string): readonly Problem[] =>
  isBroken ? [{ path, message }] : [];
