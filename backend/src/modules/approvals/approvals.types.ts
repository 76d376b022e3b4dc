import type { JsonObject } from '../../platform/jobs/index.ts';

/** The actions that SECOND_OPERATOR_ACTIONS may list. */
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

/** The parameters and body of a request, and the change that it would have made at that time. */
export interface ApprovalContent {
  readonly params: JsonObject;
  readonly body: JsonObject | null;
  /** The values that an audit row would show. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** The reason of a rejection. */
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
