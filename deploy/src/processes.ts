/** The long-running processes of the chart. Each has a separate section in the values. */
export const processes = ['customer', 'admin', 'accounting', 'worker'] as const;
export type Process = (typeof processes)[number];

/** The processes with an ingress. */
export const apis = ['customer', 'admin', 'accounting'] as const;

/** The name of the release, with which the names of its objects begin. */
export const releaseName = 'digital-gold';
