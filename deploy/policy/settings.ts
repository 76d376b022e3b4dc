import { z } from 'zod';
import { readStackFacts, stackAnnotation, type StackFacts } from '../src/values/stack-facts.ts';
import { kindOf } from './workload.ts';

export type PolicySettings = StackFacts;

/** The settings of a stack that says nothing: a pack that is run on an unknown program is strict. */
const strictest: PolicySettings = {
  tier: 'prod',
  internalClasses: ['internal'],
  internalGateways: [],
};

const annotatedSchema = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
});

/** The settings as they are known so far. */
export interface SettingsSeen {
  /** Takes note of a resource, if it is a namespace that says what its stack is. */
  readonly look: (type: string, props: unknown) => void;
  readonly get: () => PolicySettings;
}

/**
 * Creates settings that the namespace of a stack decides. All else in a stack depends on that
 * namespace, so it is seen first. Until then, and where none says anything, prod's rules hold. Only
 * the first one counts: a later namespace can't loosen what was begun.
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
