import type { Problem, Rule } from './problem.ts';
import { valuesRules } from './values-rules.ts';
import { productionRules } from './production-rules.ts';
import { secretRules } from './secret-rules.ts';
import { sandboxRules } from './sandbox-rules.ts';
import type { StackKeys } from './stack-config.ts';
import { releaseRules } from './release-rules.ts';
import { tierRules } from './tier-rules.ts';

const rules: readonly Rule[] = [
  ...tierRules,
  ...releaseRules,
  ...valuesRules,
  ...secretRules,
  ...sandboxRules,
  ...productionRules,
];

/** Returns every problem between the keys of a configuration. None contains a secret's value. */
export const brokenRules = (config: StackKeys): readonly Problem[] =>
  rules.flatMap((rule) => rule(config));
