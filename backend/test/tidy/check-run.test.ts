import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryFolder } from './source-files.ts';

const executable = (path: string, script: string): void => {
  writeFileSync(path, `#!/bin/sh\n${script}`);
  chmodSync(path, 0o755);
};

/** Has the scripts of `.ci` find a Node that is new enough. */
const provideNode = (folder: string, bin: string): void => {
  const script = join('.ci', 'tools', 'node.sh');
  cpSync(join(repositoryFolder, script), join(folder, script));
  executable(join(bin, 'node'), 'echo 24.0.0 fits');
};

/** Runs `.ci/run` where npm and make are stand-ins: the target `failing` fails. */
const runChecks = (failing: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'check-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [bin, logs] = [join(folder, 'bin'), join(folder, '.dev', 'ci', 'logs')];
  mkdirSync(bin);
  cpSync(join(repositoryFolder, '.ci', 'run'), join(folder, '.ci', 'run'));
  provideNode(folder, bin);
  executable(join(bin, 'npm'), '');
  executable(join(bin, 'npx'), '');
  executable(
    join(bin, 'make'),
    `for target; do case $target in
  up) mkdir -p "$STACK_HOME/logs" && echo started >"$STACK_HOME/logs/customer.log" ;;
  reset) rm -rf "$STACK_HOME" ;;
esac; done
echo "$*" >>made
case " $* " in *" ${failing} "*) exit 1 ;; esac
`,
  );
  const { status } = spawnSync(join(folder, '.ci', 'run'), {
    env: { PATH: `${bin}:/usr/bin:/bin` },
  });
  return { status, keepsLogs: existsSync(join(logs, 'customer.log')) };
};

it('keeps the logs of a stack on which a check failed, for the workflow to upload', () => {
  expect(runChecks('demo')).toEqual({ status: 1, keepsLogs: true });
});

it('leaves nothing of its stack when all checks passed', () => {
  expect(runChecks('none')).toEqual({ status: 0, keepsLogs: false });
});

/** Runs `.ci/test.sh` where npm is a stand-in: the workspaces' tests fail whose names are given. */
const runTests = (...failing: readonly string[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'check-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  cpSync(join(repositoryFolder, '.ci', 'test.sh'), join(folder, '.ci', 'test.sh'));
  const fails = failing.map((name) => `*"${name} "*) echo ' FAIL  ${name}.test.ts'; exit 1 ;;`);
  provideNode(folder, bin);
  executable(join(bin, 'npm'), `case "$* " in ${fails.join(' ')} esac\n`);
  const { status, stdout } = spawnSync(join(folder, '.ci', 'test.sh'), {
    env: { PATH: `${bin}:/usr/bin:/bin` },
    encoding: 'utf8',
  });
  return { status, last: stdout.split('\n').at(-2), stdout };
};

it('passes when every part passes, and tells the time of each', () => {
  const { status, stdout } = runTests();
  expect(status).toBe(0);
  expect(stdout).toMatch(/ s {2}backend, unit and fast\n[^]* s {2}client\n[^]* s {2}cli\n/u);
});

it('fails when a part fails, of the backend or beside it, and names each at the end', () => {
  const { status, last, stdout } = runTests('stories', '@digital-gold/cli');
  expect(status).toBe(1);
  expect(last).toBe('Failed: backend, stories, cli');
  expect(stdout).toMatch(/cli:\n FAIL {2}@digital-gold\/cli\.test\.ts\n\nFailed:/u);
});

it('fails when an only part fails', () => {
  expect(runTests('fast')).toMatchObject({ status: 1, last: 'Failed: backend, unit and fast' });
});
