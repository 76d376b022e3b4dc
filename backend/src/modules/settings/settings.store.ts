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

/** The settings that every replica caches. */
type SettingName = 'limits' | 'flags' | 'banners' | 'spreads';

/** The versions of all settings at one time. */
export type SettingVersions = ReadonlyMap<string, string>;

/**
 * Returns the current value of a setting. A caller that has already read the versions passes them,
 * which saves a read.
 */
export type ReadSetting<Value> = (versions?: SettingVersions) => Promise<Value>;

/** Caches a setting in this process. `read` reads it whenever its version has changed. */
export type CacheSetting = <Value>(
  name: SettingName,
  read: (db: Db) => Promise<Value>,
) => ReadSetting<Value>;

interface VersionsRow {
  readonly versions: Readonly<Record<string, string>> | null;
}

/** Reads the versions of all settings, which are four short rows, since every request needs them. */
export const readSettingVersions: Read<SettingVersions> = readOf(
  sql`SELECT jsonb_object_agg(name, version::text) AS versions FROM setting_version`,
  (row: VersionsRow | undefined) => new Map(Object.entries(row?.versions ?? {})),
);

/**
 * Creates the cache of settings of a process. Each use compares the version of the copy with the
 * version in the database, so a change applies on every replica from the next use on (contract:
 * operators > Configuration). Concurrent uses share one read of the versions. A value is read after
 * its version, so a copy is at least as new as its version.
 */
export const createSettingCopies = (db: Db): CacheSetting => {
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
        // The next use reads the setting again.
        if (copy === fresh) copy = undefined;
        throw error;
      }
    };
  };
};

/**
 * Locks a setting until the transaction ends. Concurrent changes are serialised even if their row
 * does not exist yet, so that each audit row shows the value that it replaced.
 */
export const lockSetting = async (tx: Db, name: SettingName): Promise<void> => {
  await selectRows(tx, sql`SELECT name FROM setting_version WHERE name = ${name} FOR UPDATE`);
};

export interface LimitsService {
  /** Returns the limits in force. `versions` saves a read, as in `ReadSetting`. */
  current(versions?: SettingVersions): Promise<Limits>;
  /** Changes the given limits and writes the audit row in one transaction. Returns all limits. */
  replace(changes: Partial<Limits>, by: ByOperator): Promise<Limits>;
}

/** The dependencies of every change of a setting. */
export interface SettingDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  readonly cacheSetting: CacheSetting;
}

/** The id of the only row of `limits_setting`. */
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

/** Creates the service of the limits. A change applies from the next use on. */
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
