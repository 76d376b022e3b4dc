import type { JsonObject } from '../../platform/jobs/index.ts';

/** What SECOND_OPERATOR_ACTIONS may list. */
export const listableActions = [
  'spreads',
  'limits',
  'evidence',
  'payouts',
  'resolutions',
  'statutory_parameters',
] as const;
export type ListableAction = (typeof listableActions)[number];

export const approvalStatuses = [
  'PENDING',
  'APPROVED',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export type ApprovalApi = 'admin' | 'accounting';

/** The request as it was sent, and the change that it would have made then. */
export interface ApprovalContent {
  readonly params: JsonObject;
  readonly body: JsonObject | null;
  /** As the audit log would show them. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** Why it was rejected. */
  readonly reason?: string;
}

export interface ApprovalRequest {
  readonly id: string;
  readonly api: ApprovalApi;
  readonly action: ListableAction;
  readonly method: string;
  readonly path: string;
  readonly target: string;
  readonly contentSealed: string;
  readonly status: ApprovalStatus;
  readonly requestedBy: string;
  readonly requestedByEmail: string;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly decidedBy: string | null;
  readonly decidedByEmail: string | null;
  readonly decidedAt: Date | null;
}
