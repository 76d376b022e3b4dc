/** Names of the two releases, as charts/digital-gold/ci/testbed-values.yaml has them. */
export const testbed = 'testbed';
export const service = 'digital-gold';

export const components = ['customer', 'admin', 'accounting', 'worker'] as const;

/** Selects the pods of the four processes, and nothing else. */
export const processPods = [
  'app.kubernetes.io/part-of=digital-gold',
  `app.kubernetes.io/component in (${components.join(',')})`,
].join(',');
