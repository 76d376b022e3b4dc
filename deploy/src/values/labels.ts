import { releaseName } from '../processes.ts';

/** Labels of what the program makes itself. The chart's own objects carry the same names. */
export const labelsOf = (component: string) => ({
  'app.kubernetes.io/name': releaseName,
  'app.kubernetes.io/instance': releaseName,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/part-of': releaseName,
  'app.kubernetes.io/managed-by': 'pulumi',
});

/** Labels by which a namespace admits only pods of the strictest Pod Security level. */
export const restrictedPods = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/audit': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
} as const;
