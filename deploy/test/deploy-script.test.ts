import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const deploy = join(import.meta.dirname, '..');

/** Says what would change as the file `change` tells, and keeps what it was asked. */
const pulumi = [
  '#!/bin/sh',
  'echo "$*" >>"$PLAYED/asked"',
  'if [ "$1" = preview ]; then cat "$PLAYED/change"; fi',
  '',
].join('\n');

let folder: string;
let stackFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-script-'));
  stackFile = join(folder, 'Pulumi.house.yaml');
  writeFileSync(join(folder, 'pulumi'), pulumi);
  chmodSync(join(folder, 'pulumi'), 0o755);
  writeFileSync(stackFile, 'config:\n  digital-gold:release: 1.2.3\n');
  change('1.2.3');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const change = (version: string) => {
  const text = ['Previewing update (house):', `  ~ image: "${version}"`, 'Resources:', ''];
  writeFileSync(join(folder, 'change'), text.join('\n'));
};

const play = (command: string, env: Readonly<Record<string, string>> = {}) =>
  spawnSync(join(deploy, 'scripts', 'deploy.sh'), [command, 'house'], {
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      PLAYED: folder,
      STACK_FILE: stackFile,
      PREVIEWS: folder,
      ...env,
    },
  });

const updates = (): readonly string[] =>
  readFileSync(join(folder, 'asked'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('up '));

describe('a saved preview', { timeout: 120_000 }, () => {
  it('is applied while it is still what would change', () => {
    expect(play('preview').status).toBe(0);
    const { status, stderr } = play('up', { PREVIEW: join(folder, 'house.txt') });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(updates()).toHaveLength(1);
    expect(updates()[0]).toMatch(/^up --yes --skip-preview .*--config-file .*Pulumi\.house\.yaml/u);
  });

  it('stops the deployment when something else would change, and says what', () => {
    play('preview');
    change('1.2.4');
    const { status, stdout, stderr } = play('up', { PREVIEW: join(folder, 'house.txt') });
    expect(status).toBe(4);
    expect(stdout).toContain('+  ~ image: "1.2.4"');
    expect(stderr).toContain('nothing was changed');
    expect(updates()).toEqual([]);
  });

  it("stops the deployment when the stack's file is another one, though no text shows it", () => {
    play('preview');
    writeFileSync(stackFile, 'config:\n  digital-gold:release: 1.2.3\n  a: { secure: other }\n');
    expect(play('up', { PREVIEW: join(folder, 'house.txt') }).status).toBe(4);
    expect(updates()).toEqual([]);
  });

  it('must be there', () => {
    const { status, stderr } = play('up', { PREVIEW: join(folder, 'none.txt') });
    expect(status).toBe(2);
    expect(stderr).toMatch(/there is no saved preview .*none\.txt/u);
  });
});
