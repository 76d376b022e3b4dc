import type { MadeAdmin } from '#test/support/factories.ts';
import type { AuditFixture } from './audit-fixture.ts';

/** A request that a route accepts. */
interface WriteRequest {
  readonly path: string;
  readonly body?: unknown;
  /** The operator who sends it, a super admin unless given. */
  readonly by?: MadeAdmin;
}

/** A write route of the admin API, and the audit rows that it leaves. */
export interface AdminWrite {
  /** Makes what the request changes. */
  readonly prepare: (fixture: AuditFixture) => Promise<WriteRequest> | WriteRequest;
  readonly status: number;
  /** The actions of its audit rows, in order. None for a route that the contract exempts. */
  readonly actions: readonly string[];
  /** `both` for a change of a state, `after` for a new state, `none` if nothing changes. */
  readonly parts: 'both' | 'after' | 'none';
  /** The status of the same request sent again, if that is refused. */
  readonly again?: number;
  /** The same request with something wrong in it. */
  readonly bad?: { readonly body: unknown; readonly status: number };
}

export const reason = { reason: 'the picture is blurred' };

/** A write of an audit row that changes a state. */
export const changing = (
  action: string,
  prepare: AdminWrite['prepare'],
  more: Partial<AdminWrite> = {},
): AdminWrite => ({ prepare, status: 200, actions: [action], parts: 'both', ...more });

/** A write that the contract exempts from audit rows. */
export const exempt = (prepare: AdminWrite['prepare'], more: Partial<AdminWrite>): AdminWrite => ({
  prepare,
  status: 200,
  actions: [],
  parts: 'none',
  ...more,
});
