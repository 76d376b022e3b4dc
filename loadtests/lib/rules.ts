/** A threshold of a metric, and its meaning. */
export interface Rule {
  readonly metric: string;
  /** Selects the part of the metric that has this tag. */
  readonly tag?: { readonly name: string; readonly value: string };
  /** The expression in k6's form, such as `rate==1`. */
  readonly expression: string;
  /** The meaning, for people, which is shown below the name of the part. */
  readonly says: string;
  /** True for a metric that k6 reports only if something was counted. */
  readonly mayBeMissing?: boolean;
}

/** Returns the metric as k6 names it: `refused_beyond_limit{api:admin}`. */
export const metricKey = ({ metric, tag }: Pick<Rule, 'metric' | 'tag'>): string =>
  tag === undefined ? metric : `${metric}{${tag.name}:${tag.value}}`;

/** Returns the rules as the `thresholds` of k6's options. */
export const thresholdsOf = (rules: readonly Rule[]): Record<string, string[]> => {
  const thresholds: Record<string, string[]> = {};
  for (const rule of rules) (thresholds[metricKey(rule)] ??= []).push(rule.expression);
  return thresholds;
};
