// Installs the packages when node_modules is missing or is not what the lock file says. Plain
// JavaScript without packages, since it runs before there are any.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..', '..');

/** The packages of a lock file. npm keeps one of its own inside node_modules. */
const readLock = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

/** Some packages put a `v` before their version, which npm keeps in one file and drops in another. */
const versionOf = ({ version }) => version?.replace(/^v/u, '');

const isInstalled = () => {
  try {
    const wanted = readLock(join(root, 'package-lock.json'));
    const there = readLock(join(root, 'node_modules', '.package-lock.json'));
    return Object.entries(wanted).every(([path, entry]) => {
      if (path === '' || !path.includes('node_modules/')) return true;
      const found = there[path];
      // Optional ones are for other systems as well.
      return found === undefined ? entry.optional === true : versionOf(found) === versionOf(entry);
    });
  } catch {
    return false;
  }
};

if (!isInstalled()) {
  process.stdout.write('installing packages\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit' });
  process.exit(status ?? 1);
}
