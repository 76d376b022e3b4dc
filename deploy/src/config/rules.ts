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

/** Everything that the keys of a configuration do not agree on. It never holds a secret's value. */
export const brokenRules = (config: StackKeys): readonly Problem[] =>
  rules.flatMap((rule) => rule(config));
