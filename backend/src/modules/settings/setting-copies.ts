import { readOncePerRequest } from '../../platform/http/index.ts';
import { batchReads, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';

/** The settings of which every replica keeps a copy. */
export type SettingName = 'limits' | 'flags' | 'banners' | 'spreads';

/** Returns a setting as it is in the database now, or was when this request first read one. */
export type ReadSetting<Value> = () => Promise<Value>;

/** Keeps a copy of a setting in this process, read by `read` whenever its version is another. */
export type KeepCopy = <Value>(
  name: SettingName,
  read: (db: Db) => Promise<Value>,
) => ReadSetting<Value>;

interface VersionRow {
  readonly name: string;
  readonly version: string;
}

/**
 * Creates the copies that a process keeps of its settings. Each request compares the copies'
 * versions with the database's, so a change counts on every replica from the next request on,
 * whatever became of caches and connections meanwhile: the versions are four short rows, read once
 * for a request and for all who wait for them at the time (contract: operators > Configuration).
 * Contents are read after their version, so a copy is at least as new as the version that it is
 * kept under.
 */
export const createSettingCopies = (db: Db): KeepCopy => {
  const readAllVersions = batchReads(async () => {
    const rows = await selectRows<VersionRow>(
      db,
      sql`SELECT name, version::text AS version FROM setting_version`,
    );
    return new Map(rows.map(({ name, version }) => [name, version]));
  });
  const readVersions = readOncePerRequest(readAllVersions);

  return <Value>(name: SettingName, read: (client: Db) => Promise<Value>) => {
    let copy: { readonly version: string; readonly value: Promise<Value> } | undefined;
    return async () => {
      const version = (await readVersions()).get(name);
      invariant(version, `the setting ${name} has a version`);
      if (copy?.version === version) return copy.value;
      const fresh = { version, value: read(db) };
      copy = fresh;
      try {
        return await fresh.value;
      } catch (error) {
        // The next request reads again.
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
