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
  api: row.api as ApprovalApi, // the database checks it
  status: row.status as ApprovalStatus, // and this too
  action: row.action as ListableAction, // written by this module alone
});

export const insertApproval = async (tx: Db, request: ApprovalRequest): Promise<void> => {
  await tx.approvalRequest.create({ data: request });
};

/** Returns a request of this API, or undefined for another's. */
export const findApproval = async (
  db: Db,
  api: ApprovalApi,
  id: string,
): Promise<ApprovalRequest | undefined> => {
  const row = await db.approvalRequest.findFirst({ where: { id, api } });
  return row === null ? undefined : toRequest(row);
};

/** Locks a request until the transaction ends, and reads it. */
export const lockApproval = async (
  tx: Db,
  api: ApprovalApi,
  id: string,
): Promise<ApprovalRequest | undefined> => {
  await lockRow(tx, 'approval_request', id);
  return findApproval(tx, api, id);
};

/** Returns the request that waits for an action on one thing. */
export const findPending = async (
  db: Db,
  where: Pick<ApprovalRequest, 'api' | 'action' | 'target'>,
): Promise<ApprovalRequest | undefined> => {
  const row = await db.approvalRequest.findFirst({ where: { ...where, status: 'PENDING' } });
  return row === null ? undefined : toRequest(row);
};

/** Returns a page of an API's requests, newest first, and the number of those that match. */
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

/** Returns requests whose time to decide is over. */
export const listOverdue = async (db: Db, now: Date, limit: number): Promise<ApprovalRequest[]> => {
  const rows = await db.approvalRequest.findMany({
    where: { status: 'PENDING', expiresAt: { lte: now } },
    orderBy: { expiresAt: 'asc' },
    take: limit,
  });
  return rows.map(toRequest);
};

/** Writes a decision where the request still waits, and returns how many rows that were. */
export const updateDecision = async (
  tx: Db,
  id: string,
  decision: Pick<ApprovalRequest, 'status' | 'decidedBy' | 'decidedByEmail' | 'decidedAt'> &
    Partial<Pick<ApprovalRequest, 'contentSealed'>>,
): Promise<number> => {
  const where = { id, status: 'PENDING' };
  return (await tx.approvalRequest.updateMany({ where, data: decision })).count;
};
