/**
 * Trims an installed `node_modules` to what the image's processes can load:
 *
 *   node trim-packages.mjs ROOT WORKSPACE...
 *
 * ROOT holds `node_modules` and the workspaces' folders. npm keeps optional peers that the lock
 * file knows from development (Prisma's command line, its studio, TypeScript): they go, and so do
 * types, source maps, documentation, builds for other module systems, other databases' compilers.
 * The texts of licences stay, whatever their files are called: who passes packages on passes them on.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const [root, ...workspaces] = process.argv.slice(2);
if (root === undefined || workspaces.length === 0) {
  throw new Error('trim-packages.mjs ROOT WORKSPACE...');
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The folder that `import 'name'` from `from` means, as Node looks for it. */
const find = (name, from) => {
  const candidate = join(from, 'node_modules', name);
  if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
  return from === root ? undefined : find(name, dirname(from));
};

/** Lists the packages that a package needs at run time, and whether each may be missing. */
const needsOf = ({
  dependencies,
  optionalDependencies,
  peerDependencies,
  peerDependenciesMeta,
}) => {
  const optional = { ...optionalDependencies };
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  const names = new Set([...Object.keys({ ...dependencies, ...optional }), ...peers]);
  return [...names].map((name) => ({ name, mayMiss: name in optional || peers.includes(name) }));
};

const needed = new Set();
const visit = (folder) => {
  if (needed.has(folder)) return;
  needed.add(folder);
  for (const { name, mayMiss } of needsOf(manifestOf(folder))) {
    const found = find(name, folder);
    if (found !== undefined) visit(found);
    else if (!mayMiss) throw new Error(`${relative(root, folder)} needs ${name}, which is missing`);
  }
};
for (const workspace of workspaces) visit(join(root, workspace));

/** Folders of the packages inside a `node_modules`, scoped ones too. */
const packagesIn = (modules) =>
  readdirSync(modules).flatMap((name) => {
    if (name.startsWith('.')) return [];
    if (!name.startsWith('@')) return [join(modules, name)];
    return readdirSync(join(modules, name)).map((inner) => join(modules, name, inner));
  });

const remove = (path) => rmSync(path, { recursive: true, force: true });

const dropUnneeded = (modules) => {
  remove(join(modules, '.bin'));
  remove(join(modules, '.package-lock.json'));
  for (const folder of packagesIn(modules)) {
    if (!existsSync(folder) || !needed.has(realpathSync(folder))) remove(folder);
    else if (existsSync(join(folder, 'node_modules'))) dropUnneeded(join(folder, 'node_modules'));
  }
};

const unreadFile = /(?:\.d\.[cm]?ts|\.map|\.md|\.markdown|\.tsbuildinfo|\.flow)$/u;
const licence = /^(?:licen[cs]e|copying|copyright|notice|authors|patents|third.?party)/iu;
// Node takes `build/src` of OpenTelemetry. The others are for bundlers.
const unreadFolder = /@opentelemetry\/[^/]+\/build\/(?:esm|esnext)$/u;
// The client is generated for PostgreSQL and the small compiler.
const otherCompiler = /\/runtime\/query_compiler_(?:fast_|small_bg\.(?!postgresql|js|mjs))/u;
const edgeClient = /@prisma\/client\/runtime\/wasm-compiler-edge/u;
// What a package's own developers build it with.
const ownTools = /\/\.yarn$/u;
const unreadPaths = [unreadFolder, otherCompiler, edgeClient, ownTools];

const dropUnread = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const name = path.split(sep).join('/');
    if (unreadPaths.some((pattern) => pattern.test(name))) remove(path);
    else if (entry.isDirectory()) dropUnread(path);
    else if (unreadFile.test(entry.name) && !licence.test(entry.name)) remove(path);
  }
};

const modules = ['.', ...workspaces].map((folder) => join(root, folder, 'node_modules'));
for (const folder of modules.filter((path) => existsSync(path) && statSync(path).isDirectory())) {
  dropUnneeded(folder);
  dropUnread(folder);
}
process.stdout.write(`${needed.size - workspaces.length} packages left\n`);
