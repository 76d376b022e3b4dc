/** The processes of the chart that serve. Each has a separate section in the values. */
export const processes = ['customer', 'admin', 'accounting', 'worker'] as const;
export type Process = (typeof processes)[number];

/** Those with an ingress. */
export const apis = ['customer', 'admin', 'accounting'] as const;

/** The name of the release, and of all that belongs to it. */
export const releaseName = 'digital-gold';
