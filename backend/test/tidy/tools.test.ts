import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listFiles, repositoryFolder } from './source-files.ts';

/** Copies the tools' scripts into a separate folder, with a fake `go`. */
const layOut = (go: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'tools-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(repositoryFolder, '.ci', 'tools'), join(folder, '.ci', 'tools'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'go'), `#!/bin/sh\n${go}\n`);
  chmodSync(join(folder, 'bin', 'go'), 0o755);
  const install = (...tools: readonly string[]) =>
    spawnSync('sh', [join(folder, '.ci', 'tools', 'install.sh'), ...tools], {
      env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` },
      encoding: 'utf8',
    });
  const isStamped = (tool: string) => existsSync(join(folder, '.tools', 'stamps', tool));
  return { install, isStamped };
};

/** Installs a program, unless it is actionlint. */
const failsOnce = `case "$*" in
  *actionlint*) echo 'no such module'; exit 1 ;;
  install*) echo built >"$GOBIN/program" ;;
esac`;

it('builds the others where one tool cannot be built, and says which', () => {
  const { install, isStamped } = layOut(failsOnce);
  const { status, stdout, stderr } = install('actionlint', 'toxiproxy', 'kind');
  expect(status).toBe(1);
  expect(stdout).toMatch(/toxiproxy .* built in[\s\S]*kind .* built in/u);
  expect(stderr).toContain('no such module');
  expect(stderr).toContain('not built: actionlint');
  expect(['actionlint', 'toxiproxy', 'kind'].map(isStamped)).toEqual([false, true, true]);
});

it.each(['helm-unittest', 'kubeconform', 'helm-docs'])(
  'takes a %s that failed in its middle for no tool',
  (tool) => {
    const { install, isStamped } = layOut('exit 1');
    expect(install(tool).status).toBe(1);
    expect(isStamped(tool)).toBe(false);
  },
);

it('asks sed for nothing that only one sed knows', () => {
  const scripts = listFiles(repositoryFolder).filter(
    (path) => path.endsWith('.sh') || path.endsWith(join('.ci', 'run')),
  );
  expect(scripts.length).toBeGreaterThan(10);
  const odd = scripts.filter((path) =>
    /\bsed\b[^\n|]*(?:\\[tnws+?|]|-i\b|-r\b|--\w)/u.test(readFileSync(path, 'utf8')),
  );
  expect(odd).toEqual([]);
});
