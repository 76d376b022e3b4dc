import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { nothingSealed, sealParts, type AuditVault } from './audit-sealing.ts';
import { insertAuditEntry } from './audit.store.ts';
import type { AuditEntry, Refusal } from './audit.types.ts';
import { recordRefusal } from './record-refusals.ts';

export interface Auditor {
  /** Writes an audit row in the transaction of its change, so that both commit or neither does. */
  record(db: Db, entry: AuditEntry): Promise<void>;
  /** Records the refusal of a stranger in the caller's transaction, as `recordRefusal` says. */
  recordRefusal(tx: Db, refusal: Refusal): Promise<void>;
}

/** Creates the auditor. It needs no `vault` if no entry has sealed parts. */
export const createAuditor = (options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault?: AuditVault;
}): Auditor => {
  const { clock, random, vault } = options;
  const record: Auditor['record'] = async (db, entry) => {
    const id = random.uuid();
    invariant(vault ?? entry.sealed === undefined, 'an auditor that seals has a vault');
    const sealed = vault === undefined ? nothingSealed : await sealParts(vault, db, id, entry);
    await insertAuditEntry(db, { id, at: clock.now(), ...sealed }, entry);
  };
  return { record, recordRefusal: (tx, refusal) => recordRefusal({ clock, record }, tx, refusal) };
};
