import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RawInput, Route } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { ApprovalDeps, Person } from './request-approval.ts';
import { openContent, sealContent } from './approval-sealing.ts';
import { transitionApproval } from './approvals.states.ts';
import { findApproval, lockApproval } from './approvals.store.ts';
import type { ApprovalRequest, ApprovalStatus } from './approvals.types.ts';

/** The person who decides, and the context of their HTTP request. */
type Decider = Pick<RawInput, 'principal' | 'context'>;

const actorKinds = { admin: 'admin', accounting: 'portal' } as const;

/** @throws AppError ILLEGAL_TRANSITION if the request was decided or has expired */
const requirePending = (request: ApprovalRequest, now: Date): void => {
  if (request.status !== 'PENDING') {
    throw new AppError('ILLEGAL_TRANSITION', { details: { status: request.status } });
  }
  if (request.expiresAt <= now) {
    const message = 'This request has expired. Please make a new request.';
    throw new AppError('ILLEGAL_TRANSITION', { message, details: { status: 'EXPIRED' } });
  }
};

/** Locks a pending request. @throws AppError NOT_FOUND, ILLEGAL_TRANSITION */
const lockPending = async (
  { api, clock }: ApprovalDeps,
  tx: Db,
  id: string,
): Promise<ApprovalRequest> => {
  const request = await lockApproval(tx, api, id);
  if (request === undefined) throw new AppError('NOT_FOUND');
  requirePending(request, clock.now());
  return request;
};

/** @throws AppError OTHER_PERSON_REQUIRED if this person made the request */
const requireOtherPerson = (request: ApprovalRequest, person: Person): void => {
  if (request.requestedBy !== person.id) return;
  const message = 'You made this request, so another person must decide it. You can withdraw it.';
  throw new AppError('OTHER_PERSON_REQUIRED', { message });
};

/** Stores a decision and its audit row, which names the requester and the decider. */
const decide = async (
  deps: ApprovalDeps,
  tx: Db,
  request: ApprovalRequest,
  {
    to,
    person,
    action,
    reason,
  }: {
    readonly to: Exclude<ApprovalStatus, 'EXPIRED'>;
    readonly person: Person;
    readonly action: string;
    readonly reason?: string;
  },
): Promise<void> => {
  const { id, requestedByEmail } = request;
  const content = { ...openContent(deps.vault, request), ...(reason !== undefined && { reason }) };
  await transitionApproval(deps, tx, id, {
    to,
    actor: `${actorKinds[deps.api]}:${person.id}`,
    cause: action,
    changes: {
      decidedBy: person.id,
      decidedByEmail: person.email,
      decidedAt: deps.clock.now(),
      ...(reason !== undefined && { contentSealed: sealContent(deps.vault, id, content) }),
    },
  });
  const after: JsonObject = { status: to, action: request.action, target: request.target };
  await deps.audit.record(tx, {
    action,
    ...person.audited,
    target: { type: 'approval', id },
    before: { status: 'PENDING', requestedBy: requestedByEmail },
    after,
    ...(reason !== undefined && { sealed: { after: { reason } } }),
  });
};

const readBack = async ({ db, api }: ApprovalDeps, id: string): Promise<ApprovalRequest> => {
  const request = await findApproval(db, api, id);
  invariant(request, 'a request for approval is there');
  return request;
};

/**
 * Runs the requested action as the approving person, on the current state. The request is approved
 * in the action's own transaction, so that both commit or neither does. The second of two
 * concurrent approvals fails with ILLEGAL_TRANSITION. If the action fails, the request stays
 * pending.
 * @throws AppError NOT_FOUND, OTHER_PERSON_REQUIRED, ILLEGAL_TRANSITION, and every error of the
 *   action
 */
export const approve = async (
  deps: ApprovalDeps,
  {
    id,
    routeOf,
    isStillAllowed,
  }: {
    readonly id: string;
    readonly routeOf: (request: ApprovalRequest) => Route;
    /** Returns false if the person who made the request no longer has permission for it. */
    readonly isStillAllowed: (tx: Db, request: ApprovalRequest) => Promise<boolean>;
  },
  decider: Decider,
): Promise<ApprovalRequest> => {
  const person = deps.personOf(decider);
  const storedRequest = await findApproval(deps.db, deps.api, id);
  if (storedRequest === undefined) throw new AppError('NOT_FOUND');
  requireOtherPerson(storedRequest, person);
  requirePending(storedRequest, deps.clock.now());
  const { params, body } = openContent(deps.vault, storedRequest);
  const input: RawInput = {
    params,
    query: {},
    rawBody: Buffer.from(body === null ? '' : JSON.stringify(body)),
    parsedBody: body ?? undefined,
    isPlainBody: false,
    bodyProblem: undefined,
    ...decider,
  };
  const around = async <T>(tx: Db, work: () => Promise<T>): Promise<T> => {
    const request = await lockPending(deps, tx, id);
    if (!(await isStillAllowed(tx, request))) {
      const message =
        'The person who made this request no longer has permission for it. Reject the request.';
      throw new AppError('CONFLICT', { message });
    }
    const result = await work();
    await decide(deps, tx, request, { to: 'APPROVED', person, action: 'approval.approve' });
    return result;
  };
  const auditFields = { requestedBy: storedRequest.requestedByEmail, approvalId: id };
  await deps.scopes.run({ around, entries: [], auditFields }, () =>
    routeOf(storedRequest).run(input),
  );
  return readBack(deps, id);
};

/**
 * Rejects another person's request.
 * @throws AppError NOT_FOUND, OTHER_PERSON_REQUIRED, ILLEGAL_TRANSITION
 */
export const reject = async (
  deps: ApprovalDeps,
  { id, reason }: { readonly id: string; readonly reason: string },
  decider: Decider,
): Promise<ApprovalRequest> => {
  const person = deps.personOf(decider);
  await deps.inTransaction(async (tx) => {
    const request = await lockPending(deps, tx, id);
    requireOtherPerson(request, person);
    await decide(deps, tx, request, { to: 'REJECTED', person, action: 'approval.reject', reason });
  });
  return readBack(deps, id);
};

/**
 * Withdraws the caller's own request.
 * @throws AppError NOT_FOUND, OTHER_PERSON_REQUIRED, ILLEGAL_TRANSITION
 */
export const withdraw = async (
  deps: ApprovalDeps,
  id: string,
  decider: Decider,
): Promise<ApprovalRequest> => {
  const person = deps.personOf(decider);
  await deps.inTransaction(async (tx) => {
    const request = await lockPending(deps, tx, id);
    if (request.requestedBy !== person.id) {
      const message = 'Only the person who made this request can withdraw it. You can reject it.';
      throw new AppError('OTHER_PERSON_REQUIRED', { message });
    }
    await decide(deps, tx, request, { to: 'WITHDRAWN', person, action: 'approval.withdraw' });
  });
  return readBack(deps, id);
};
