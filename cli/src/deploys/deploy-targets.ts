/** The deployable targets. Each has a separate workflow. */
export const deployTargets = ['backend', 'website', 'admin-portal', 'monitoring'] as const;
export type DeployTarget = (typeof deployTargets)[number];
