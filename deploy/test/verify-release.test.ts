import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { release } from './support/stack-texts.ts';

const run = promisify(execFile);
const failedSchema = z.object({ code: z.number(), stderr: z.string() });

let folder: string;

/**
 * Lays out a deploy folder, with a `gh` that prints its arguments and succeeds if GH_SAYS is `yes`.
 */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-release-'));
  for (const name of ['scripts', 'releases', 'bin']) mkdirSync(join(folder, name));
  const script = join(folder, 'scripts', 'verify-release.sh');
  copyFileSync(new URL('../scripts/verify-release.sh', import.meta.url), script);
  writeFileSync(join(folder, 'bin', 'gh'), '#!/bin/sh\necho "$@"\n[ "$GH_SAYS" = yes ]\n');
  chmodSync(join(folder, 'bin', 'gh'), 0o755);
  writeFileSync(join(folder, 'releases', '1.2.3.yaml'), stringify(release));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const verify = async (
  config: object,
  says = 'yes',
  more: Readonly<Record<string, string>> = {},
) => {
  writeFileSync(more['STACK_FILE'] ?? join(folder, 'Pulumi.x.yaml'), stringify({ config }));
  const env = {
    ...more,
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    GITHUB_REPOSITORY: 'digital-gold/service',
    GH_SAYS: says,
  };
  const script = join(folder, 'scripts', 'verify-release.sh');
  try {
    return { code: 0, said: (await run(script, ['x'], { env })).stdout };
  } catch (error) {
    const { code, stderr } = failedSchema.parse(error);
    return { code, said: stderr };
  }
};

const prod = { 'digital-gold:tier': 'prod', 'digital-gold:release': '1.2.3' };

it('asks for the signatures of the image and of the chart', async () => {
  const { code, said } = await verify(prod);
  expect(code).toBe(0);
  const signer =
    '--repo digital-gold/service --signer-workflow digital-gold/service/.github/workflows/release.yml';
  expect(said.trim().split('\n')).toEqual([
    `attestation verify oci://registry.example/digital-gold@${release.image.digest} ${signer}`,
    `attestation verify oci://registry.example/charts/digital-gold:1.2.3 ${signer}`,
  ]);
});

it('lets nothing through that is not signed', async () => {
  expect((await verify(prod, 'no')).code).toBe(1);
});

it('lets nothing through without a release, but for dev', async () => {
  const image = { 'digital-gold:image': { repository: 'x', tag: 'y' } };
  expect(await verify({ 'digital-gold:tier': 'staging', ...image })).toMatchObject({
    code: 1,
    said: 'Pulumi.x.yaml names no release\n',
  });
  expect(await verify({ 'digital-gold:tier': 'dev', ...image })).toEqual({ code: 0, said: '' });
  expect(await verify({ ...prod, 'digital-gold:release': '9.9.9' })).toMatchObject({
    code: 1,
    said: 'there is no releases/9.9.9.yaml\n',
  });
});

it("takes the stack's file from where a house keeps it", async () => {
  const STACK_FILE = join(folder, 'house.yaml');
  const { code, said } = await verify(prod, 'yes', { STACK_FILE });
  expect(code).toBe(0);
  expect(said.trim().split('\n')).toHaveLength(2);
  const other = { ...prod, 'digital-gold:release': '9.9.9' };
  expect(await verify(other, 'yes', { STACK_FILE })).toMatchObject({ code: 1 });
});
