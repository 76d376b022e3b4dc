import type { Problem, Rule } from './problem.ts';
import { productionRules } from './production-rules.ts';
import { secretRules } from './secret-rules.ts';
import { sandboxRules } from './sandbox-rules.ts';
import type { StackConfig } from './stack-config.ts';
import { tierRules } from './tier-rules.ts';

const rules: readonly Rule[] = [...tierRules, ...secretRules, ...sandboxRules, ...productionRules];

/** Everything that the keys of a configuration do not agree on; never a secret's value. */
export const brokenRules = (config: StackConfig): readonly Problem[] =>
  rules.flatMap((rule) => rule(config));
