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

const installationFolder = '/usr/lib/postgresql';
const oldestVersion = 15;

/** Returns the oldest installed version that the service supports. */
const findVersion = (): number => {
  try {
    const versions = readdirSync(installationFolder).map(Number);
    const fitting = versions.filter((version) => version >= oldestVersion);
    return fitting.toSorted((one, other) => one - other)[0] ?? oldestVersion;
  } catch {
    return oldestVersion;
  }
};

/** The folder of the PostgreSQL programs that drills run. */
export const postgresPrograms = `${installationFolder}/${findVersion()}/bin`;

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

/** A new folder for the servers' user. */
export interface ServerFolder {
  readonly folder: string;
  /** Options with which a program runs as that user. */
  readonly asUser: Partial<ServerUser> & {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Creates a subfolder that the user owns. */
  readonly makeFolder: (...names: readonly string[]) => string;
  /** Writes a file that only the user may read, and returns its path. */
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
