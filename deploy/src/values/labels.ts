import { releaseName } from '../processes.ts';

/**
 * Returns the labels of an object that the program itself creates. The chart's objects have the
 * same labels.
 */
export const labelsOf = (component: string) => ({
  'app.kubernetes.io/name': releaseName,
  'app.kubernetes.io/instance': releaseName,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/part-of': releaseName,
  'app.kubernetes.io/managed-by': 'pulumi',
});

/** The labels by which a namespace admits only pods of the strictest Pod Security level. */
export const restrictedPods = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/audit': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
} as const;
