import { lockRow, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type {
  ApprovalApi,
  ApprovalRequest,
  ApprovalStatus,
  ListableAction,
} from './approvals.types.ts';

/* The rows of `approval_request`. */

type Row = Awaited<ReturnType<Db['approvalRequest']['findUniqueOrThrow']>>;

const toRequest = (row: Row): ApprovalRequest => ({
  ...row,
  // The database checks `api` and `status`. Only this module writes `action`.
  api: row.api as ApprovalApi,
  status: row.status as ApprovalStatus,
  action: row.action as ListableAction,
});

export const insertApproval = async (tx: Db, request: ApprovalRequest): Promise<void> => {
  await tx.approvalRequest.create({ data: request });
};

/** Returns a request of this API. Returns undefined for a request of the other API. */
export const findApproval = async (
  db: Db,
  api: ApprovalApi,
  id: string,
): Promise<ApprovalRequest | undefined> => {
  const row = await db.approvalRequest.findFirst({ where: { id, api } });
  return row === null ? undefined : toRequest(row);
};

/** Locks a request until the transaction ends, and returns it. */
export const lockApproval = async (
  tx: Db,
  api: ApprovalApi,
  id: string,
): Promise<ApprovalRequest | undefined> => {
  await lockRow(tx, 'approval_request', id);
  return findApproval(tx, api, id);
};

/** Returns the pending request for an action on a target. There is at most one. */
export const findPending = async (
  db: Db,
  where: Pick<ApprovalRequest, 'api' | 'action' | 'target'>,
): Promise<ApprovalRequest | undefined> => {
  const row = await db.approvalRequest.findFirst({ where: { ...where, status: 'PENDING' } });
  return row === null ? undefined : toRequest(row);
};

/** Returns a page of an API's matching requests, newest first, and the number of all of them. */
export const listApprovals = async (
  db: Db,
  {
    api,
    status,
    action,
  }: {
    readonly api: ApprovalApi;
    readonly status: ApprovalStatus | undefined;
    readonly action: ListableAction | undefined;
  },
  page: Page,
) => {
  const where = {
    api,
    ...(status !== undefined && { status }),
    ...(action !== undefined && { action }),
  };
  const [rows, total] = await Promise.all([
    db.approvalRequest.findMany({
      where,
      orderBy: [{ requestedAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.approvalRequest.count({ where }),
  ]);
  return { rows: rows.map(toRequest), total };
};

/** Returns pending requests that have expired. */
export const listOverdue = async (db: Db, now: Date, limit: number): Promise<ApprovalRequest[]> => {
  const rows = await db.approvalRequest.findMany({
    where: { status: 'PENDING', expiresAt: { lte: now } },
    orderBy: { expiresAt: 'asc' },
    take: limit,
  });
  return rows.map(toRequest);
};

/** Writes the decision of a request if it is still pending. Returns the number of changed rows. */
export const updateDecision = async (
  tx: Db,
  id: string,
  decision: Pick<ApprovalRequest, 'status' | 'decidedBy' | 'decidedByEmail' | 'decidedAt'> &
    Partial<Pick<ApprovalRequest, 'contentSealed'>>,
): Promise<number> => {
  const where = { id, status: 'PENDING' };
  return (await tx.approvalRequest.updateMany({ where, data: decision })).count;
};
