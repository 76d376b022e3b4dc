export const jobStatuses = ['dead', 'running', 'queued', 'scheduled'] as const;
export type JobStatus = (typeof jobStatuses)[number];
