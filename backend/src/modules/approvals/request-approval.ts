import { addSeconds } from '../../platform/clock/clock.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RawInput, Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';
import type { ActionScopes } from './action-scope.ts';
import { sealContent } from './approval-sealing.ts';
import { findPending, insertApproval } from './approvals.store.ts';
import type {
  ApprovalApi,
  ApprovalContent,
  ApprovalRequest,
  ListableAction,
} from './approvals.types.ts';
import { expireOne } from './expire-approvals.ts';

/** A write that can be configured to need a second person's approval. */
export interface ListedRoute {
  readonly action: ListableAction;
  readonly method: string;
  readonly path: string;
  /** Returns the target of a request. A request without a target needs no second person. */
  readonly targetOf: (input: RawInput) => Promise<string | undefined> | string | undefined;
}

/** A person of the API, with the fields by which audit rows name them. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly audited: Pick<AuditEntry, 'actor' | 'requestId' | 'ip'>;
}

export interface ApprovalDeps {
  readonly api: ApprovalApi;
  readonly db: Db;
  /** Begins a transaction outside of every scope. */
  readonly inTransaction: InTransaction;
  readonly scopes: ActionScopes;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly vault: Pick<Vault, 'service'>;
  readonly audit: Auditor;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** APPROVAL_HOURS: the hours after which a pending request expires. */
  readonly lifetimeHours: number;
  /** Returns the person who sent a request that the API's guard has admitted. */
  readonly personOf: (input: Pick<RawInput, 'principal' | 'context'>) => Person;
}

/** Rolls the transaction of a trial back. */
class TrialEnd extends Error {
  override readonly name = 'TrialEnd';
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the change in the first audit row of an action, which describes its target. */
const changeOf = ([entry]: readonly AuditEntry[]): Pick<ApprovalContent, 'before' | 'after'> => ({
  before: entry?.before ?? null,
  after: entry?.after ?? null,
});

/** Runs an action's statements, and rolls them back. */
const around = async <T>(_tx: Db, work: () => Promise<T>): Promise<T> => {
  await work();
  throw new TrialEnd();
};

/**
 * Runs an action, and rolls its transaction back. So a request for an action that would fail is
 * refused now, and every other request shows the change that it would make.
 * @throws AppError as the action does
 */
const tryAction = async (
  { scopes }: ApprovalDeps,
  route: Route,
  input: RawInput,
): Promise<readonly AuditEntry[]> => {
  const entries: AuditEntry[] = [];
  try {
    await scopes.run({ around, entries }, () => route.run(input));
  } catch (error) {
    if (!(error instanceof TrialEnd)) throw error;
  }
  return entries;
};

/**
 * Expires an earlier request for the same action and target, so that a new one can be made.
 * @throws AppError CONFLICT if the earlier request has not expired
 */
const expireEarlier = async (
  deps: ApprovalDeps,
  subject: Pick<ApprovalRequest, 'api' | 'action' | 'target'>,
): Promise<void> => {
  const pending = await findPending(deps.db, subject);
  if (pending === undefined) return;
  if (pending.expiresAt > deps.clock.now()) {
    const message = 'A request for this is already waiting for a second person.';
    throw new AppError('CONFLICT', { message, details: { approvalId: pending.id } });
  }
  await expireOne(deps, pending);
};

/**
 * Stores a request for the approval of an action, after a trial of the action.
 * @throws AppError as the action does, and CONFLICT if such a request is already pending
 */
export const requestApproval = async (
  deps: ApprovalDeps,
  { route, listed, target }: { route: Route; listed: ListedRoute; target: string },
  input: RawInput,
): Promise<ApprovalRequest> => {
  const { api, clock, random, vault, audit } = deps;
  const { action, method, path } = listed;
  await expireEarlier(deps, { api, action, target });
  const change = changeOf(await tryAction(deps, route, input));
  const id = random.uuid();
  const params = isObject(input.params) ? { ...input.params } : {};
  const body = isObject(input.parsedBody) ? input.parsedBody : null;
  const person = deps.personOf(input);
  const requestedAt = clock.now();
  const request: ApprovalRequest = {
    id,
    api,
    action,
    method,
    path,
    target,
    contentSealed: sealContent(vault, id, { params, body, ...change }),
    status: 'PENDING',
    requestedBy: person.id,
    requestedByEmail: person.email,
    requestedAt,
    expiresAt: addSeconds(requestedAt, deps.lifetimeHours * 3600),
    decidedBy: null,
    decidedByEmail: null,
    decidedAt: null,
  };
  try {
    await deps.inTransaction(async (tx) => {
      await insertApproval(tx, request);
      await audit.record(tx, {
        action: 'approval.request',
        ...person.audited,
        target: { type: 'approval', id },
        after: { status: 'PENDING', action, target },
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'A request for this is already waiting for a second person.';
    throw new AppError('CONFLICT', { message });
  }
  return request;
};
