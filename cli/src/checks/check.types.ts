/** What is looked at together, in the order in which it is shown. */
export const checkCategories = [
  'configuration',
  'processes',
  'stores',
  'migrations',
  'collaborators',
  'business',
  'deployments',
  'pods',
  'config-maps',
  'secrets',
] as const;
export type CheckCategory = (typeof checkCategories)[number];

/** Categories that only a cluster has. */
export const clusterCategories = ['deployments', 'pods', 'config-maps', 'secrets'] as const;
export type ClusterCategory = (typeof clusterCategories)[number];

export const isClusterCategory = (category: CheckCategory): category is ClusterCategory =>
  clusterCategories.some((one) => one === category);

/**
 * `warning` is worth a look and stops nothing. `unknown` is what could not be found out although
 * it should have been; `not-run` is what nobody asked for, or what another check already explains.
 */
export const checkStatuses = ['ok', 'warning', 'failed', 'unknown', 'not-run'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** One thing that was looked at. Several records share an id when there are several such things. */
export interface CheckRecord {
  readonly id: string;
  readonly category: CheckCategory;
  readonly title: string;
  readonly status: CheckStatus;
  /** What was found. */
  readonly detail: string;
  /** What to do about it; null where nothing is to be done. */
  readonly hint: string | null;
  /** The part of the page that tells more. */
  readonly anchor: string;
}

/** Whether a record keeps the whole from being well. */
export const isAmiss = ({ status }: CheckRecord): boolean =>
  status === 'failed' || status === 'unknown';
