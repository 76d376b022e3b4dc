import { z } from 'zod';
import { readStackFacts, stackAnnotation, type StackFacts } from '../src/values/stack-facts.ts';
import { kindOf } from './workload.ts';

export type PolicySettings = StackFacts;

/**
 * The settings of a stack without the annotation, so that the pack is strict with an unknown
 * program.
 */
const strictest: PolicySettings = {
  tier: 'prod',
  internalClasses: ['internal'],
  internalGateways: [],
};

const annotatedSchema = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
});

/** The settings that are known so far. */
export interface SettingsSeen {
  /** Reads the settings from a resource, if it is a namespace with the stack's annotation. */
  readonly look: (type: string, props: unknown) => void;
  readonly get: () => PolicySettings;
}

/**
 * Creates the settings, which the namespace of a stack decides. Everything else in a stack depends
 * on that namespace, so it is seen first. Until then, and without an annotation, prod's rules hold.
 * Only the first namespace counts, so that a later one can't loosen the rules.
 */
export const createSettings = (): SettingsSeen => {
  let found: PolicySettings | undefined;
  return {
    look: (type, props) => {
      if (found !== undefined || kindOf(type) !== 'Namespace') return;
      found = readStackFacts(annotatedSchema.parse(props).metadata.annotations[stackAnnotation]);
    },
    get: () => found ?? strictest,
  };
};
