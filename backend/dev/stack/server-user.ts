import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { runCommand, runOrThrow } from './run-command.ts';

/** The user that PostgreSQL runs as. Undefined means the user who runs this. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the user for PostgreSQL, which refuses to run as root. For root it is the system's
 * unprivileged user `nobody`.
 * @throws Error when there is no such user.
 */
export const findServerUser = async (): Promise<ServerUser | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: await idOfNobody('-u'), gid: await idOfNobody('-g') };
};

const idOfNobody = async (option: string): Promise<number> =>
  Number((await runOrThrow('id', [option, 'nobody'])).trim());

/**
 * The folder for PostgreSQL's binaries and data, made if missing: inside the stack's own folder
 * when the server's user may enter it, else (root with a clone in its private home) a folder of
 * the system's whose name is kept in the stack's folder.
 */
export const prepareServerHome = async (
  stackHome: string,
  user: ServerUser | undefined,
): Promise<string> => {
  const inside = join(stackHome, 'postgres');
  mkdirSync(inside, { recursive: true });
  if (user === undefined) return inside;
  // Entering is enough for the server. The secrets beside it have separate modes.
  chmodSync(stackHome, 0o711);
  chmodSync(inside, 0o755);
  const entered = await runCommand('/bin/sh', ['-c', 'cd "$1"', 'sh', inside], {
    ...user,
    cwd: '/',
  });
  return entered.code === 0 ? inside : prepareOutsideHome(stackHome);
};

const prepareOutsideHome = (stackHome: string): string => {
  const note = outsideHomeNote(stackHome);
  const known = readOutsideHome(stackHome);
  const outside = known ?? `/var/lib/digital-gold-stack-${randomBytes(6).toString('hex')}`;
  mkdirSync(outside, { recursive: true });
  chmodSync(outside, 0o755);
  if (known === undefined) writeFileSync(note, `${outside}\n`);
  return outside;
};

const outsideHomeNote = (stackHome: string): string => join(stackHome, 'postgres-home');

/** Returns the folder outside the clone that this stack made for PostgreSQL, if it made one. */
export const readOutsideHome = (stackHome: string): string | undefined => {
  const note = outsideHomeNote(stackHome);
  if (!existsSync(note)) return undefined;
  const path = readFileSync(note, 'utf8').trim();
  return /^\/var\/lib\/digital-gold-stack-[0-9a-f]{12}$/u.test(path) ? path : undefined;
};
