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

/** Runs `.ci/run` where npm and make are stand-ins: the target `failing` fails. */
const runChecks = (failing: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'check-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [bin, logs] = [join(folder, 'bin'), join(folder, '.dev', 'ci', 'logs')];
  mkdirSync(bin);
  cpSync(join(repositoryFolder, '.ci', 'run'), join(folder, '.ci', 'run'));
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
