import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';

/** The surroundings of the one transaction in which a listed action does its work. */
interface ActionScope {
  /** Runs in that transaction and calls `work`, the action's own statements. */
  readonly around: <T>(tx: Db, work: () => Promise<T>) => Promise<T>;
  /** Added to what the action's audit rows show. */
  readonly names: JsonObject;
  /** The audit rows that the action wrote. */
  readonly entries: AuditEntry[];
  transactions: number;
}

/** Joins a listed action and the decision on it in one transaction. */
export interface ActionScopes {
  /** Begins transactions as `inTransaction` does. An action's holds the decision on it, too. */
  readonly inTransaction: InTransaction;
  /** Writes audit rows. Those of an action name the person who requested it. */
  readonly audit: Auditor;
  /** Runs an action in its surroundings. Its audit rows are put into `entries`, too. */
  run(
    scope: Pick<ActionScope, 'around' | 'entries'> & Partial<Pick<ActionScope, 'names'>>,
    action: () => Promise<unknown>,
  ): Promise<void>;
}

/**
 * Creates the scopes of a process. An action calls collaborators before its transaction, so the
 * decision can't open a transaction around the whole action. It joins the action's own instead,
 * which the handlers begin with this `inTransaction`.
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
        // It may run again after a deadlock.
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
        return audit.record(db, { ...entry, after: { ...entry.after, ...scope.names } });
      },
    },
    async run({ around, entries, names = {} }, action) {
      const scope: ActionScope = { around, names, entries, transactions: 0 };
      await storage.run(scope, action);
      invariant(scope.transactions === 1, 'an action that can be listed has a transaction');
    },
  };
};
