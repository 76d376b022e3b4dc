import {
  batchReads,
  readAlone,
  readOf,
  selectRows,
  sql,
  type Db,
  type InTransaction,
  type Read,
} from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { defaultLimits, limitNames, type Limits } from './settings.types.ts';
import { presentLimits } from './settings.schemas.ts';

/** The settings of which every replica keeps a copy. */
type SettingName = 'limits' | 'flags' | 'banners' | 'spreads';

/** The versions of all settings at one moment. */
export type SettingVersions = ReadonlyMap<string, string>;

/**
 * Returns a setting as it is in the database now, or as it was at the time of `versions`, if the
 * caller has read these as the request began.
 */
export type ReadSetting<Value> = (versions?: SettingVersions) => Promise<Value>;

/** Keeps a copy of a setting in this process, read by `read` whenever its version is another. */
export type KeepCopy = <Value>(
  name: SettingName,
  read: (db: Db) => Promise<Value>,
) => ReadSetting<Value>;

interface VersionsRow {
  readonly versions: Readonly<Record<string, string>> | null;
}

/** Reads the versions of all settings: four short rows. Raw SQL, since every request reads them. */
export const readSettingVersions: Read<SettingVersions> = readOf(
  sql`SELECT jsonb_object_agg(name, version::text) AS versions FROM setting_version`,
  (row: VersionsRow | undefined) => new Map(Object.entries(row?.versions ?? {})),
);

/**
 * Creates the copies that a process keeps of its settings. Each use compares the copies'
 * versions with the database's, so a change counts on every replica from the next use on, whatever
 * became of caches and connections meanwhile: the versions are four short rows, read once for all
 * who wait for them at the time (contract: operators > Configuration).
 * Contents are read after their version, so a copy is at least as new as the version that it is
 * kept under.
 */
export const createSettingCopies = (db: Db): KeepCopy => {
  const readVersions = batchReads(() => readAlone(db, readSettingVersions));

  return <Value>(name: SettingName, read: (client: Db) => Promise<Value>) => {
    let copy: { readonly version: string; readonly value: Promise<Value> } | undefined;
    return async (versions) => {
      const version = (versions ?? (await readVersions())).get(name);
      invariant(version, `the setting ${name} has a version`);
      if (copy?.version === version) return copy.value;
      const fresh = { version, value: read(db) };
      copy = fresh;
      try {
        return await fresh.value;
      } catch (error) {
        // The next use reads again.
        if (copy === fresh) copy = undefined;
        throw error;
      }
    };
  };
};

/**
 * Locks a setting until the transaction ends: changes of it take turns, also where the row that
 * they write does not exist yet, so that each audit row shows what was replaced.
 */
export const lockSetting = async (tx: Db, name: SettingName): Promise<void> => {
  await selectRows(tx, sql`SELECT name FROM setting_version WHERE name = ${name} FOR UPDATE`);
};

export interface LimitsService {
  /** Returns the limits in force, or those of a moment at which the versions were read. */
  current(versions?: SettingVersions): Promise<Limits>;
  /** Replaces the limits that are given, with the audit row in the same transaction. Returns all. */
  replace(changes: Partial<Limits>, by: ByOperator): Promise<Limits>;
}

/** The dependencies that every change of a setting has. */
export interface SettingDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  readonly cacheSetting: KeepCopy;
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

/** Creates the limits of amounts, whose change counts from the next use on. */
export const createLimits = ({
  inTransaction,
  clock,
  audit,
  cacheSetting,
}: SettingDeps): LimitsService => ({
  current: cacheSetting('limits', findLimits),

  replace: (changes, { principal, context }) =>
    inTransaction(async (tx) => {
      await lockSetting(tx, 'limits');
      const before = await findLimits(tx);
      const limits = { ...before, ...changes };
      await audit.record(tx, {
        action: 'config.limits.replace',
        ...adminActor(principal, context),
        target: { type: 'limits', id: 'limits' },
        before: presentLimits(before),
        after: presentLimits(limits),
      });
      await upsertLimits(tx, limits, principal.adminId, clock.now());
      return limits;
    }),
});
