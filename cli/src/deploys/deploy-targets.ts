/** The deployable targets; each has a workflow of its own. */
export const deployTargets = ['backend', 'website', 'admin-portal', 'monitoring'] as const;
export type DeployTarget = (typeof deployTargets)[number];
