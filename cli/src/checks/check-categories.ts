/** The groups of checks, in the order in which they are shown. */
export const checkCategories = [
  'before',
  'configuration',
  'processes',
  'stores',
  'migrations',
  'collaborators',
  'business',
  'operations',
  'network',
  'deployments',
  'pods',
  'config-maps',
  'secrets',
] as const;
export type CheckCategory = (typeof checkCategories)[number];

const clusterCategories: ReadonlySet<CheckCategory> = new Set([
  'before',
  'deployments',
  'pods',
  'config-maps',
  'secrets',
]);

/** Returns true for categories that only a cluster has. */
export const isClusterCategory = (category: CheckCategory): boolean =>
  clusterCategories.has(category);
