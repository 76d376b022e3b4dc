import type { Logger } from '../../platform/observability/index.ts';

/** A module's part of the round; it bears being run twice at a time. */
export interface JanitorStep {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * One round over everything that has been unknown or in between for too long (architecture,
 * section 3). A step that fails does not keep the others from being done.
 */
export const createJanitor =
  (options: { readonly steps: readonly JanitorStep[]; readonly logger: Logger }) =>
  async (signal: AbortSignal): Promise<void> => {
    for (const { name, run } of options.steps) {
      if (signal.aborted) return;
      try {
        await run(signal);
      } catch (error) {
        options.logger.error({ err: error, step: name }, 'a step of the janitor failed');
      }
    }
  };
