import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** One import or re-export of a file. */
export interface ImportEdge {
  readonly from: string;
  /** The imported file's path, or the package's specifier as it is written. */
  readonly to: string;
  readonly isPackage: boolean;
}

const specifierPattern = new RegExp(
  String.raw`(?:^|;)\s*(?:import|export)\s[^'";]*?from\s*'([^']+)'` + // names or types
    String.raw`|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'`, // for effect; at run time
  'gmu',
);

/** What a file imports, from where it stands. */
export const importsOf = (file: SourceFile): ImportEdge[] =>
  [...file.code.matchAll(specifierPattern)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const isPackage = !specifier.startsWith('.');
    const to = isPackage ? specifier : posix.join(posix.dirname(file.path), specifier);
    return { from: file.path, to, isPackage };
  });

/** The part of the layout that a file is in: `money`, `modules/gold`, `apps/sandbox`, ... */
export const areaOf = (path: string): string => {
  const [root, first = '', second = ''] = path.split('/');
  if (root !== 'src') return root ?? '';
  return first === 'modules' || first === 'apps' ? `${first}/${second}` : first;
};

/** One cycle for each knot in the graph of `edges`, as the nodes on it. */
export const findCycles = (edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[][] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (state.get(node) === 'done') return;
    if (state.get(node) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(node)), node]);
      return;
    }
    state.set(node, 'open');
    for (const next of edges.get(node) ?? []) visit(next, [...trail, node]);
    state.set(node, 'done');
  };
  for (const node of edges.keys()) visit(node, []);
  return cycles;
};
