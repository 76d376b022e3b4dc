import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ServerUser } from '../../dev/stack/server-user.ts';

const installed = '/usr/lib/postgresql';
const oldest = 15;

/** Returns the oldest version that is installed and that the service runs on. */
const findVersion = (): number => {
  try {
    const versions = readdirSync(installed).map(Number);
    const fitting = versions.filter((version) => version >= oldest);
    return fitting.toSorted((one, other) => one - other)[0] ?? oldest;
  } catch {
    return oldest;
  }
};

/** Folder of the programs of the PostgreSQL that drills run. */
export const postgresPrograms = `${installed}/${findVersion()}/bin`;

export const administrator = { name: 'postgres', password: 'dev-only-postgres' };

/** Returns the address of a server's administrator. */
export const adminOf = (port: number, database = 'postgres'): string =>
  `postgresql://${administrator.name}:${administrator.password}@127.0.0.1:${port}/${database}`;

/** Lists the missing programs, by the name under which each is installed. */
export const missingOf = (programs: Readonly<Record<string, string>>): string[] =>
  Object.entries(programs)
    .filter(([, path]) => {
      try {
        accessSync(path, constants.X_OK);
        return false;
      } catch {
        return true;
      }
    })
    .map(([name]) => name);

/** A folder of the servers' user, whatever a run before left there. */
export interface ServerFolder {
  readonly folder: string;
  /** Options by which a program runs as that user. */
  readonly asUser: Partial<ServerUser> & {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Makes a folder in it, of the user's own. */
  readonly makeFolder: (...names: readonly string[]) => string;
  /** Writes a file in it that the user alone may read, and returns its place. */
  readonly write: (name: string, text: string) => string;
}

export const createServerFolder = (folder: string, user: ServerUser | undefined): ServerFolder => {
  const env = {
    PATH: `${postgresPrograms}:/usr/sbin:/usr/bin:/bin`,
    LC_ALL: 'C.UTF-8',
    HOME: folder,
  };
  const own = (path: string, mode: number): string => {
    chmodSync(path, mode);
    if (user !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  const makeFolder = (...names: readonly string[]): string => {
    const path = join(folder, ...names);
    mkdirSync(path, { recursive: true });
    return own(path, 0o700);
  };
  rmSync(folder, { recursive: true, force: true });
  makeFolder();
  return {
    folder,
    asUser: { ...user, cwd: '/', env },
    makeFolder,
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return own(path, 0o600);
    },
  };
};
