import { z } from 'zod';
import type { StackRun } from './stack-run.ts';

const previewSchema = z.object({
  steps: z.array(z.object({ op: z.string(), urn: z.string() })).default([]),
});

/** A step of a preview that changes something. */
interface Change {
  readonly op: string;
  /** Such as `Deployment digital-gold-worker`. */
  readonly what: string;
}

const kindAndName = (urn: string): string => {
  const parts = urn.split('::');
  const kind = (parts[2] ?? '').split(':').at(-1) ?? '';
  return `${kind} ${(parts.at(-1) ?? '').split('/').at(-1) ?? ''}`;
};

/** Returns what a preview would change, nothing where everything is as it should be. */
export const changesOf = async (run: StackRun): Promise<readonly Change[]> => {
  const { steps } = previewSchema.parse(
    JSON.parse(await run.must('preview', '--json', '--non-interactive')),
  );
  return steps
    .filter(({ op }) => op !== 'same' && op !== 'read')
    .map(({ op, urn }) => ({ op, what: kindAndName(urn) }));
};
