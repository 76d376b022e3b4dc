import { removePortalFactor, type PortalUserRecord } from '../../modules/accounting/index.ts';
import { removeOperatorFactor, type AdminRecord } from '../../modules/admins/index.ts';
import { createAuditor } from '../../modules/audit/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { operatorActor } from './operator-actor.ts';
import { readReason } from './record-gate.ts';

interface DisableDeps {
  readonly database: Pick<Database, 'inTransaction'>;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Opens the keyring, by which the reason is sealed in the audit row.
   * @throws ConfigError
   */
  readonly openVault: () => Promise<Vault>;
  readInput(): Promise<string>;
}

/**
 * Reads the reason and returns the dependencies of both removals and the common fields of their
 * audit rows.
 */
const prepare = async (deps: DisableDeps) => {
  const reason = await readReason(deps);
  const vault = await deps.openVault();
  const { clock, random } = deps;
  return {
    factorDeps: { clock, random, vault, wall: clock },
    auditor: createAuditor({ clock, random, vault }),
    auditFields: { actor: operatorActor, requestId: random.uuid(), sealed: { after: { reason } } },
  };
};

/**
 * Disables an operator's authenticator app if no other super admin can.
 * @throws AppError NOT_FOUND, CONFLICT, VALIDATION_FAILED without a reason
 */
export const disableSecondFactor = async (
  email: string,
  deps: DisableDeps,
): Promise<AdminRecord> => {
  const { factorDeps, auditor, auditFields } = await prepare(deps);
  return deps.database.inTransaction((tx) =>
    removeOperatorFactor(factorDeps, tx, email, (change) =>
      auditor.record(tx, { ...change, ...auditFields }),
    ),
  );
};

/**
 * Disables a portal user's authenticator app in the same way.
 * @throws AppError NOT_FOUND, CONFLICT, VALIDATION_FAILED without a reason
 */
export const disablePortalSecondFactor = async (
  email: string,
  deps: DisableDeps,
): Promise<PortalUserRecord> => {
  const { factorDeps, auditor, auditFields } = await prepare(deps);
  return deps.database.inTransaction((tx) =>
    removePortalFactor(factorDeps, tx, { email }, (change) =>
      auditor.record(tx, { ...change, ...auditFields }),
    ),
  );
};
