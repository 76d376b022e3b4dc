import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemOfImport } from './import-rules.ts';
import { areaOf, findCycles, importsOf } from './imports.ts';
import { backendFolder, serviceSources } from './source-files.ts';

const edges = serviceSources.flatMap(importsOf);
const inside = edges.filter(({ isPackage }) => !isPackage);

const packageOf = (specifier: string): string =>
  specifier.startsWith('node:')
    ? specifier.slice('node:'.length)
    : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

const graphOf = (nameOf: (path: string) => string | undefined): Map<string, Set<string>> => {
  const graph = new Map<string, Set<string>>();
  for (const edge of inside) {
    const [from, to] = [nameOf(edge.from), nameOf(edge.to)];
    if (from === undefined || to === undefined || from === to) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
};

const problemFrom = (from: string, to: string): string | undefined =>
  problemOfImport({ from, to, isPackage: false });

describe('who may import whom', () => {
  it('is kept by every file of the service', () => {
    expect(inside.length).toBeGreaterThan(200);
    expect(edges.map(problemOfImport).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('is told with the way to do it instead', () => {
    const refused = [
      ['src/money/paise.ts', 'src/platform/clock/clock.ts', 'imports nothing'],
      ['src/platform/db/x.ts', 'src/modules/gold/index.ts', 'move the code up'],
      ['src/adapters/sms/x.ts', 'src/modules/gold/index.ts', 'Who may import whom'],
      ['src/modules/kyc/x.ts', 'src/modules/audit/audit.store.ts', 'audit/index.ts'],
      ['src/modules/kyc/x.ts', 'src/adapters/sms/msg91/x.ts', 'port.ts'],
      ['src/modules/kyc/x.ts', 'src/runtime/x.ts', 'the app wires'],
      ['src/apps/sandbox/x.ts', 'src/adapters/sms/port.ts', 'over HTTP alone'],
    ] as const;
    for (const [from, to, instead] of refused) expect(problemFrom(from, to)).toContain(instead);
    expect(
      problemOfImport({ from: 'src/money/paise.ts', to: 'node:fs', isPackage: true }),
    ).toContain('imports nothing');
  });

  it('leaves the allowed ways open', () => {
    const allowed = [
      ['src/modules/kyc/x.ts', 'src/modules/audit/index.ts'],
      ['src/modules/kyc/x.ts', 'src/adapters/object-store/port.ts'],
      ['src/modules/kyc/x.ts', 'src/modules/kyc/kyc.store.ts'],
      ['src/adapters/sms/x.ts', 'src/platform/clock/clock.ts'],
      ['src/platform/db/x.ts', 'src/generated/prisma/client.ts'],
      ['src/apps/worker/main.ts', 'src/adapters/sms/msg91/create-msg91.ts'],
    ] as const;
    for (const [from, to] of allowed) expect(problemFrom(from, to)).toBeUndefined();
  });
});

describe('cycles', () => {
  it('has none among the modules: inject a function where two need each other', () => {
    const graph = graphOf((path) => {
      const area = areaOf(path);
      return area.startsWith('modules/') ? area : undefined;
    });
    expect(graph.size).toBeGreaterThan(5);
    expect(findCycles(graph)).toEqual([]);
  });

  it('has none among the files: move what both need into a file of its own', () => {
    expect(findCycles(graphOf((path) => path))).toEqual([]);
  });

  it('finds one', () => {
    const graph = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c'])],
      ['c', new Set(['b'])],
    ]);
    expect(findCycles(graph)).toEqual([['b', 'c', 'b']]);
  });
});

describe('packages', () => {
  it('uses only declared dependencies outside of tests and the local stack', () => {
    const manifest = JSON.parse(readFileSync(join(backendFolder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>; // the file's own form
    };
    const known = new Set([...Object.keys(manifest.dependencies), ...builtinModules]);
    const strangers = edges
      .filter(({ from, isPackage }) => isPackage && areaOf(from) !== 'dev')
      .filter(({ to }) => !known.has(packageOf(to)))
      .map(({ from, to }) => `${from} imports ${to}: add it to dependencies`);
    expect(strangers).toEqual([]);
  });
});
