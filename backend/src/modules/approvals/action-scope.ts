import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';

/** The state of a listed action while it runs. An action has exactly one transaction. */
interface ActionScope {
  /** Wraps the action's own statements, `work`, in its transaction. */
  readonly around: <T>(tx: Db, work: () => Promise<T>) => Promise<T>;
  /** The fields that are added to `after` of the action's audit rows. */
  readonly auditFields: JsonObject;
  /** The audit rows that the action wrote. */
  readonly entries: AuditEntry[];
  transactions: number;
}

/** Joins a listed action and the decision about it in one transaction. */
export interface ActionScopes {
  /** Begins transactions. The transaction of an action runs in `around` of its scope. */
  readonly inTransaction: InTransaction;
  /** Writes audit rows. The rows of an action also have the `auditFields` of its scope. */
  readonly audit: Auditor;
  /** Runs an action in its scope, and adds its audit rows to `entries`. */
  run(
    scope: Pick<ActionScope, 'around' | 'entries'> & Partial<Pick<ActionScope, 'auditFields'>>,
    action: () => Promise<unknown>,
  ): Promise<void>;
}

/**
 * Creates the scopes of a process. An action calls collaborators before its transaction, so the
 * decision cannot open a transaction around the whole action. Instead, the decision joins the
 * action's own transaction, which the handlers begin with this `inTransaction`.
 */
export const createActionScopes = ({
  inTransaction,
  audit,
}: {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
}): ActionScopes => {
  const storage = new AsyncLocalStorage<ActionScope>();
  return {
    inTransaction(work, options) {
      const scope = storage.getStore();
      if (scope === undefined) return inTransaction(work, options);
      scope.transactions += 1;
      invariant(scope.transactions === 1, 'an action that can be listed is one transaction');
      return inTransaction((tx) => {
        // The transaction may run again after a deadlock.
        scope.entries.length = 0;
        return scope.around(tx, () => work(tx));
      }, options);
    },
    audit: {
      ...audit,
      record(db, entry) {
        const scope = storage.getStore();
        if (scope === undefined) return audit.record(db, entry);
        scope.entries.push(entry);
        return audit.record(db, { ...entry, after: { ...entry.after, ...scope.auditFields } });
      },
    },
    async run({ around, entries, auditFields = {} }, action) {
      const scope: ActionScope = { around, auditFields, entries, transactions: 0 };
      await storage.run(scope, action);
      invariant(scope.transactions === 1, 'an action that can be listed has a transaction');
    },
  };
};
