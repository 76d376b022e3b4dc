import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const backend = resolve(import.meta.dirname, '..', '..');

/** Every database and Redis of a run, and every build, comes by way of this file. */
const callsTestServers = join(backend, 'test', 'support', 'call-test-servers.ts');

/** Starts servers beside the run's own, processes of the service and command-line tools. */
const startsProcesses = 'node:child_process';

/** Finds imports and re-exports of values. Types are left out: they are gone at run time. */
const valueImport =
  /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gmu;

const importsOf = (file: string): string[] => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [...text.matchAll(valueImport)].map(([, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? '';
    if (specifier.startsWith('.')) return resolve(dirname(file), specifier);
    return specifier.startsWith('#test/') ? join(backend, specifier.slice(1)) : specifier;
  });
};

/**
 * Lists the test files that need no server and start no process, from the backend's folder. It
 * follows the imports of each: a new test belongs to the quick ones until it opens something.
 */
export const findUnitTests = (patterns: readonly string[]): string[] => {
  const known = new Map<string, readonly string[]>();
  const reachedFrom = (file: string): Set<string> => {
    const reached = new Set([file]);
    // A set hands out what is added to it while it is walked.
    for (const each of reached) {
      const imports = known.get(each) ?? (each.endsWith('.ts') ? importsOf(each) : []);
      known.set(each, imports);
      for (const next of imports) reached.add(next);
    }
    return reached;
  };
  return globSync([...patterns], { cwd: backend })
    .toSorted()
    .map((path) => join(backend, path))
    .filter((file) => {
      const reached = reachedFrom(file);
      return !reached.has(callsTestServers) && !reached.has(startsProcesses);
    })
    .map((file) => relative(backend, file));
};
