import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { areaOf, repositoryFolder, serviceSources, type SourceFile } from './source-files.ts';

/**
 * The linter refuses imports across a boundary and circles of files (`.oxlint.config.ts`). Here is
 * what it does not know, circles among modules, and a proof that its patterns refuse what they
 * should: one that the linter can't read, it ignores without a word.
 */
const refused = [
  ['backend/src/money/x.ts', '../platform/clock/clock.ts', 'Money imports nothing'],
  ['backend/src/money/x.ts', 'node:fs', 'Money imports nothing'],
  ['backend/src/errors/x.ts', '../money/index.ts', 'table of errors imports nothing'],
  ['backend/src/platform/db/x.ts', '../../modules/kyc/index.ts', 'move the code up'],
  ['backend/src/platform/db/x.ts', '../../../test/support/gate.ts', 'outside of backend/src'],
  ['backend/src/platform/db/x.ts', '#test/support/gate.ts', 'outside of backend/src'],
  ['backend/src/modules/kyc/x.ts', '#test/support/gate.ts', 'outside of backend/src'],
  ['backend/src/adapters/sms/x.ts', '../../modules/kyc/index.ts', 'platform and money alone'],
  ['backend/src/modules/kyc/x.ts', '../audit/audit.store.ts', 'index.ts'],
  ['backend/src/modules/kyc/x.ts', '../reconciliation/checks/check.ts', 'index.ts'],
  ['backend/src/modules/kyc/x.ts', '../../adapters/sms/msg91/create-msg91.ts', 'port.ts'],
  ['backend/src/modules/kyc/x.ts', '../../runtime/create-runtime.ts', 'the app wires it'],
  ['backend/src/modules/kyc/x.ts', '../../../dev/stack/main.ts', 'outside of backend/src'],
  ['backend/src/modules/kyc/checks/x.ts', '../../audit/audit.store.ts', 'index.ts'],
  ['backend/src/modules/kyc/checks/x.ts', '../../../adapters/sms/msg91/x.ts', 'port.ts'],
  ['backend/src/runtime/x.ts', '../apps/worker/main.ts', 'Nobody imports an app'],
  ['backend/src/apps/customer/x.ts', '../worker/main.ts', 'No app imports another'],
  ['backend/src/apps/customer/x.ts', '../../../dev/stack/main.ts', 'outside of backend/src'],
  [
    'backend/src/apps/customer/x.ts',
    '../../../dev/stack/development-accounts.ts',
    'outside of backend/src',
  ],
  ['backend/src/apps/seed/x.ts', '../../../dev/stack/main.ts', 'outside of backend/src'],
  ['backend/src/apps/seed/x.ts', '../worker/main.ts', 'No app imports another'],
  ['backend/src/apps/sandbox/x.ts', '../../adapters/sms/port.ts', 'over HTTP'],
  ['backend/src/apps/sandbox/page/x.ts', '../../../modules/kyc/index.ts', 'over HTTP'],
  ['backend/src/apps/sandbox/x.ts', '../../../dev/stack/free-port.ts', 'outside of backend/src'],
  ['backend/src/apps/sandbox/x.ts', '../../../bench/support/report.ts', 'outside of backend/src'],
  ['backend/src/apps/sandbox/page/x.ts', '../../../../dev/stack/main.ts', 'outside of backend/src'],
  ['backend/src/apps/sandbox/page/x.ts', '#test/support/gate.ts', 'outside of backend/src'],
  ['backend/dev/fill/x.ts', '#test/support/gate.ts', 'Tests and benchmarks'],
  ['backend/dev/fill/x.ts', '../../test/support/gate.ts', 'Tests and benchmarks'],
  ['backend/dev/fill/x.ts', '../../bench/support/report.ts', 'Tests and benchmarks'],
  ['backend/dev/demo/chapters/x.ts', '../../../client/src/index.ts', 'by its package'],
  ['backend/dev/fill/x.ts', '../../../cli/src/main.ts', 'by its package'],
  ['backend/bench/x.ts', '../client/src/api-client.ts', 'by its package'],
  ['backend/bench/buys/x.ts', '../../../loadtests/lib/x.ts', 'by its package'],
  ['backend/test/buy/x.test.ts', '../../../cli/src/main.ts', 'by its package'],
  ['backend/client/x.ts', '../src/money/index.ts', "APIs' documents alone"],
  ['backend/client/src/x.ts', '../../src/money/index.ts', "APIs' documents alone"],
  ['backend/client/src/x.ts', '@digital-gold/backend/demo', "APIs' documents alone"],
  ['backend/client/test/x.test.ts', '../../dev/stack/free-port.ts', "APIs' documents alone"],
  ['charts/demo/src/x.ts', '../../../backend/dev/demo/story.ts', 'may import only'],
  ['charts/demo/src/steps/x.ts', '../../../../backend/src/money/index.ts', 'may import only'],
  ['charts/demo/src/x.ts', '@digital-gold/backend/dev/demo/story.ts', 'may import only'],
  ['charts/demo/test/x.test.ts', '../../../backend/client/src/index.ts', 'may import only'],
  ['charts/demo/src/x.ts', '../../../cli/src/main.ts', 'talk to the APIs'],
  ['cli/src/commands/x.ts', '../../../backend/src/money/index.ts', 'Goldctl talks to the APIs'],
  ['cli/src/commands/x.ts', '@digital-gold/backend/demo', 'may import only'],
  ['deploy/src/x.ts', '../../backend/src/money/index.ts', 'talk to the APIs'],
  ['loadtests/lib/x.ts', '../../backend/dev/stack/free-port.ts', 'talk to the APIs'],
] as const;

const allowed = [
  ['backend/src/money/x.ts', './paise.ts'],
  ['backend/src/money/x.test.ts', 'vitest'],
  ['backend/src/platform/db/x.ts', '../../money/index.ts'],
  ['backend/src/platform/errors/x.ts', '../../errors/error-table.ts'],
  ['backend/src/platform/db/x.ts', '../../generated/prisma/client.ts'],
  ['backend/src/adapters/sms/msg91/x.ts', '../../../platform/clock/clock.ts'],
  ['backend/src/modules/kyc/x.ts', '../audit/index.ts'],
  ['backend/src/modules/kyc/x.ts', './checks/check.ts'],
  ['backend/src/modules/kyc/x.ts', '../../adapters/sms/port.ts'],
  ['backend/src/modules/kyc/x.ts', '../../platform/db/index.ts'],
  ['backend/src/modules/kyc/checks/x.ts', '../kyc.types.ts'],
  ['backend/src/modules/kyc/checks/x.ts', '../../orders/index.ts'],
  ['backend/src/modules/kyc/checks/x.ts', '../../../platform/db/index.ts'],
  ['backend/src/modules/kyc/x.test.ts', '#test/support/gate.ts'],
  ['backend/src/apps/customer/x.ts', '../../adapters/sms/msg91/create-msg91.ts'],
  ['backend/src/apps/seed/x.ts', '../../../dev/stack/development-accounts.ts'],
  ['backend/src/apps/sandbox/page/x.ts', '../state/store.ts'],
  ['backend/src/apps/sandbox/page/x.ts', '../../../platform/db/index.ts'],
  ['backend/src/apps/sandbox/x.test.ts', '../../../dev/stack/free-port.ts'],
  ['backend/dev/fill/x.ts', '../../src/apps/customer/customer-api.ts'],
  ['backend/dev/fill/x.ts', '../stack/free-port.ts'],
  ['backend/dev/demo/chapters/x.ts', '@digital-gold/client'],
  ['backend/dev/fill/x.test.ts', '#test/support/gate.ts'],
  ['backend/bench/buys/x.ts', '#test/support/factories.ts'],
  ['backend/bench/buys/x.ts', '../../dev/stack/free-port.ts'],
  ['backend/bench/buys/x.ts', '../../src/generated/prisma/client.ts'],
  ['backend/client/src/x.ts', './generated/customer.ts'],
  ['backend/client/src/x.ts', 'openapi-fetch'],
  ['backend/client/test/x.test.ts', '../src/index.ts'],
  ['charts/demo/src/x.ts', '@digital-gold/backend/demo'],
  ['charts/demo/src/x.ts', '@digital-gold/client'],
  ['charts/demo/src/steps/x.ts', '../tools/run-tool.ts'],
  ['cli/src/commands/x.ts', '@digital-gold/client'],
  ['cli/src/clients/x.ts', '@digital-gold/backend/github'],
] as const;

const reportSchema = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      help: z.string().nullish(),
      filename: z.string(),
    }),
  ),
});

/** Runs the linter, with the repository's own rules, over a folder of planted files. */
const lintPlanted = async (folder: string) => {
  const config = '.oxlint.config.ts';
  await copyFile(join(repositoryFolder, config), join(folder, config));
  const linter = join(repositoryFolder, 'node_modules', '.bin', 'oxlint');
  const output = await new Promise<string>((resolve) => {
    // It exits with 1 when it finds something, as it shall.
    const args = ['-c', config, '--format', 'json'];
    execFile(linter, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  return reportSchema.parse(JSON.parse(output)).diagnostics;
};

const textOf = (specifiers: readonly string[]): string =>
  specifiers.map((from, index) => `export { a as b${index} } from '${from}';\n`).join('');

it('is held by the linter who may import whom, and that no two files import each other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'boundaries-'));
  const plant = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const byFile = new Map<string, string[]>();
  for (const [path, specifier] of [...refused, ...allowed]) {
    byFile.set(path, [...(byFile.get(path) ?? []), specifier]);
  }
  try {
    for (const [path, specifiers] of byFile) await plant(path, textOf(specifiers));
    await plant('cli/test/one.ts', "import type { B } from './two.ts';\nexport type A = B;\n");
    await plant('cli/test/two.ts', "import type { A } from './one.ts';\nexport type B = A;\n");
    const found = await lintPlanted(folder);
    const across = found
      .filter(({ code }) => code.includes('no-restricted-imports'))
      .map(({ filename, message, help }) => [filename, `${message} ${help ?? ''}`] as const);
    for (const [path, specifier, instead] of refused) {
      const saying = across.filter(([file, text]) => file === path && text.includes(specifier));
      expect(saying.map(([, text]) => text).join(), `${path} ${specifier}`).toContain(instead);
    }
    expect(across).toHaveLength(refused.length);
    const circles = found.filter(({ code }) => code.includes('no-cycle'));
    expect(circles.map(({ filename }) => filename).toSorted()).toEqual([
      'cli/test/one.ts',
      'cli/test/two.ts',
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const specifierPattern = new RegExp(
  String.raw`(?:^|;)\s*(?:import|export)\s[^'";]*?from\s*'([^']+)'` + // names or types
    String.raw`|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'`, // for effect, at run time
  'gmu',
);

const specifiersOf = ({ code }: SourceFile): string[] =>
  [...code.matchAll(specifierPattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');

/** Returns the modules that each module imports. */
const readModuleGraph = (): Map<string, Set<string>> => {
  const graph = new Map<string, Set<string>>();
  for (const file of serviceSources) {
    const from = areaOf(file.path);
    if (!from.startsWith('modules/')) continue;
    const imported = specifiersOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => areaOf(posix.join(posix.dirname(file.path), specifier)))
      .filter((to) => to.startsWith('modules/') && to !== from);
    graph.set(from, new Set([...(graph.get(from) ?? []), ...imported]));
  }
  return graph;
};

/** Takes away, again and again, every node that leads nowhere. What is left is in a circle. */
const findKnot = (graph: ReadonlyMap<string, ReadonlySet<string>>): string[] => {
  const left = new Map(graph);
  for (;;) {
    const ends = [...left].filter(([, next]) => ![...next].some((node) => left.has(node)));
    if (ends.length === 0) return [...left.keys()];
    for (const [node] of ends) left.delete(node);
  }
};

it('has no circle among the modules: inject a function where two need each other', () => {
  const graph = readModuleGraph();
  expect(graph.size).toBeGreaterThan(5);
  expect(findKnot(graph)).toEqual([]);
  const knotted = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['b'])],
  ]);
  expect(findKnot(knotted)).toEqual(['a', 'b', 'c']);
});
