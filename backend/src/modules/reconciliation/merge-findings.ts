import { mostSamples, type Findings } from './reconciliation.types.ts';

export const noFindings: Findings = { count: 0, samples: [] };

/** The findings of parts that don't overlap, as those of one check. */
export const mergeFindings = (...parts: readonly Findings[]): Findings => {
  const reasons = parts.flatMap(({ incomplete }) => incomplete ?? []);
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    samples: parts.flatMap(({ samples }) => samples).slice(0, mostSamples),
    ...(reasons.length > 0 && { incomplete: reasons.join('; ') }),
  };
};
