import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { blankText, dropComments } from './strip-source.ts';

export const backendFolder = join(import.meta.dirname, '..', '..');
export const repositoryFolder = join(backendFolder, '..');

/** A TypeScript file of the backend. */
export interface SourceFile {
  /**
   * From the backend's folder, with `/`, such as `src/money/paise.ts`. A neighbour's is from above
   * it.
   */
  readonly path: string;
  readonly text: string;
  /** The text without comments. Its lines keep their numbers. */
  readonly code: string;
  /** `code` without what is in quotes and in regular expressions. Templates stay. */
  readonly bareCode: string;
  /** A test, or what only tests use: the rules of the service's own code don't bind it. */
  readonly isTest: boolean;
}

const skippedFolders = new Set([
  'node_modules',
  '.git',
  '.dev',
  '.tools',
  'dist',
  'coverage',
  'generated',
]);

/** Every file below `folder`, built and downloaded ones left out. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skippedFolders.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });

const testPlaces = [/\.test\.ts$/u, /\.arbitraries\.ts$/u, /(?:^|\/)test\//u, /\/testing\//u];

const readSource = (base: string, absolute: string): SourceFile => {
  const path = relative(base, absolute).split(sep).join('/');
  const text = readFileSync(absolute, 'utf8');
  const code = dropComments(text);
  const isTest = testPlaces.some((place) => place.test(path));
  return { path, text, code, bareCode: blankText(code), isTest };
};

/** A separate workspace inside the backend's folder. */
const clientFolder = join(backendFolder, 'client');

/** Every TypeScript file of the backend, in order of path. */
export const allSources: readonly SourceFile[] = listFiles(backendFolder)
  .filter((path) => path.endsWith('.ts') && !path.startsWith(clientFolder + sep))
  .map((path) => readSource(backendFolder, path))
  .toSorted((a, b) => (a.path < b.path ? -1 : 1));

/** Every TypeScript file of the other workspaces, their paths from the repository's folder. */
export const neighbourSources: readonly SourceFile[] = [
  'backend/client',
  'charts',
  'cli',
  'deploy',
  'loadtests',
]
  .flatMap((workspace) => listFiles(join(repositoryFolder, workspace)))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readSource(repositoryFolder, path));

/** The service's own code: below `src`, tests left out. */
export const serviceSources = allSources.filter(
  ({ path, isTest }) => path.startsWith('src/') && !isTest,
);

/** Returns the part of the layout that a file is in: `money`, `modules/kyc`, `apps/sandbox`. */
export const areaOf = (path: string): string => {
  const [root, first = '', second = ''] = path.split('/');
  if (root !== 'src') return root ?? '';
  return first === 'modules' || first === 'apps' ? `${first}/${second}` : first;
};

/** `path:line` of an index into a file's text. */
export const placeOf = (path: string, text: string, index: number): string =>
  `${path}:${text.slice(0, index).split('\n').length}`;

/** The place and text of every match of `pattern`, which must be global. */
export const findIn = (path: string, text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(
    (match) => `${placeOf(path, text, match.index)}: ${match[0].trim()}`,
  );
