export const webhookStatuses = [
  'PENDING',
  'APPLIED',
  'IGNORED',
  'UNMATCHED',
  'UNREADABLE',
] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];
