export const outputForms = ['table', 'json'] as const;
export type OutputForm = (typeof outputForms)[number];
