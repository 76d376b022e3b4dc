import { paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { defaultLimits, limitNames, type Limits } from './settings.types.ts';
import { lockSetting, type KeepCopy } from './setting-copies.ts';
import { presentLimits } from './settings.schemas.ts';

export interface LimitsService {
  /** Returns the limits in force. */
  current(): Promise<Limits>;
  /** Replaces all limits, with the audit row in the same transaction. */
  replace(limits: Limits, by: ByOperator): Promise<void>;
}

/** What every change of a setting needs. */
export interface SettingDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  readonly keepCopy: KeepCopy;
}

/** The one row of `limits_setting`. */
const rowId = 1;

const findLimits = async (db: Db): Promise<Limits> => {
  const row = await db.limitsSetting.findUnique({ where: { id: rowId } });
  if (row === null) return defaultLimits;
  const entries = limitNames.map((name) => [name, paise(row[name])] as const);
  return { ...defaultLimits, ...Object.fromEntries(entries) };
};

const upsertLimits = async (
  tx: Db,
  limits: Limits,
  updatedBy: string,
  updatedAt: Date,
): Promise<void> => {
  const data = { ...limits, updatedBy, updatedAt };
  await tx.limitsSetting.upsert({
    where: { id: rowId },
    create: { id: rowId, ...data },
    update: data,
  });
};

/** Creates the limits of amounts, whose change counts from the next request on. */
export const createLimits = ({
  inTransaction,
  clock,
  audit,
  keepCopy,
}: SettingDeps): LimitsService => ({
  current: keepCopy('limits', findLimits),

  async replace(limits, { principal, context }) {
    await inTransaction(async (tx) => {
      await lockSetting(tx, 'limits');
      const before = await findLimits(tx);
      await audit.record(tx, {
        action: 'config.limits.replace',
        ...adminActor(principal, context),
        target: { type: 'limits', id: 'limits' },
        before: presentLimits(before),
        after: presentLimits(limits),
      });
      await upsertLimits(tx, limits, principal.adminId, clock.now());
    });
  },
});
