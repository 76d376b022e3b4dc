import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareObjects } from '../src/drift/compare-objects.ts';
import { stackObjects } from '../src/drift/stack-objects.ts';

const deploy = join(import.meta.dirname, '..');
const urnOf = (name: string) => `urn:pulumi:prod::digital-gold::kubernetes:x::${name}`;

/** Marks a value as a secret that an export shows. */
const secret = (value: unknown) => ({
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  plaintext: JSON.stringify(value),
});

const metadata = { namespace: 'gold', annotations: { 'pulumi.com/skipAwait': 'true' } };

/** An object of a stack, as it was wanted and as the cluster made it. */
const resource = (name: string, kind: string, wanted: object = {}, made: object = wanted) => {
  const known = { apiVersion: 'v1', kind, metadata: { ...metadata, name } };
  return {
    urn: urnOf(name),
    type: `kubernetes:core/v1:${kind}`,
    custom: true,
    inputs: { ...known, ...wanted },
    outputs: { ...known, ...made, __fieldManager: 'pulumi' },
  };
};

const container = { name: 'app', image: 'registry/app:1' };
const spec = { replicas: 2, memory: '1024Mi', containers: [container] };
const word = Buffer.from('secret-word').toString('base64');
const provider = { context: 'gold-prod', kubeconfig: secret('of: the stack'), version: '4.34.2' };

const exported = {
  deployment: {
    resources: [
      { urn: urnOf('stack'), type: 'pulumi:pulumi:Stack', custom: false },
      {
        urn: urnOf('cluster'),
        type: 'pulumi:providers:kubernetes',
        custom: true,
        inputs: provider,
      },
      resource('settings', 'ConfigMap', { data: { DIGITAL_SELL_ENABLED: 'false' } }),
      resource(
        'app',
        'Secret',
        { stringData: secret({ JWT_SECRET: 'secret-word' }) },
        { data: secret({ JWT_SECRET: word }) },
      ),
      // The cluster writes what was wanted in a form of its own, and adds to it.
      resource(
        'worker',
        'Deployment',
        { spec },
        { spec: { ...spec, memory: '1Gi', strategy: 'RollingUpdate' } },
      ),
      resource('migrate', 'Job'),
    ],
  },
};

const settings = {
  kind: 'ConfigMap',
  metadata: { ...metadata, name: 'settings' },
  data: { DIGITAL_SELL_ENABLED: 'true' },
  apiVersion: 'v1',
};
const kept = {
  kind: 'Secret',
  metadata: { ...metadata, name: 'app' },
  data: { JWT_SECRET: word },
  apiVersion: 'v1',
};
const worker = {
  kind: 'Deployment',
  metadata: { ...metadata, name: 'worker' },
  spec: { ...spec, memory: '1Gi', strategy: 'RollingUpdate' },
  apiVersion: 'v1',
};

/** An object, with fields that a manager wrote. */
const written = (
  object: typeof worker | typeof settings,
  manager: string,
  fieldsV1: object,
  more: object = {},
) => ({
  ...object,
  metadata: {
    ...object.metadata,
    managedFields: [{ manager, time: '2026-01-01T00:00:00Z', fieldsV1, ...more }],
  },
});

const managed = (manager: string, fieldsV1: object, more: object = {}) =>
  written(worker, manager, fieldsV1, more);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drift-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const list = (items: readonly object[]): string => JSON.stringify({ kind: 'List', items });

/** Reports on a cluster that has these objects, and whose user may read Secrets or not. */
const report = (items: readonly object[], secrets: readonly object[] | 'forbidden' = [kept]) => {
  const kubectl = [
    '#!/bin/sh',
    'heard=$(cat)',
    'echo "$* $heard" >>"$PLAYED/heard"; cp "$KUBECONFIG" "$PLAYED/kubeconfig"',
    'case "$heard" in',
    '*\'"kind":"Secret"\'*) cat "$PLAYED/secrets.json" || { echo Forbidden >&2; exit 1; } ;;',
    '*) cat "$PLAYED/items.json" ;;',
    'esac',
    '',
  ];
  writeFileSync(join(folder, 'kubectl'), kubectl.join('\n'));
  chmodSync(join(folder, 'kubectl'), 0o755);
  writeFileSync(join(folder, 'items.json'), list(items));
  if (secrets !== 'forbidden') writeFileSync(join(folder, 'secrets.json'), list(secrets));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import=tsx', 'scripts/report-drift.ts'],
    {
      cwd: deploy,
      input: JSON.stringify(exported),
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, PLAYED: folder },
    },
  );
  return { status, said: `${stdout}${stderr}` };
};

/** Compares the cluster's objects with the stack's, as the report does. */
const compare = (items: readonly object[], secrets: readonly object[] = [kept]) =>
  compareObjects(stackObjects(exported).objects, [...items, ...secrets]);

describe('the report of drift', { timeout: 60_000 }, () => {
  it('finds none where the cluster has what was made, and never shows a secret', () => {
    expect(report([settings, worker])).toEqual({
      status: 0,
      said: '3 objects are as they were deployed\n',
    });
    const heard = readFileSync(join(folder, 'heard'), 'utf8');
    expect(heard).toMatch(/^--context gold-prod get /u);
    expect(heard).not.toContain('migrate');
    expect(heard).not.toContain('secret-word');
    expect(readFileSync(join(folder, 'kubeconfig'), 'utf8')).toBe('of: the stack');
  });

  it('ends with 1 and names what it found', () => {
    expect(report([worker])).toEqual({ status: 1, said: 'ConfigMap settings is gone\n' });
  });

  it('says that Secrets were left out where they may not be read', () => {
    expect(report([settings, worker], 'forbidden')).toEqual({
      status: 0,
      said:
        'Secrets were not compared: this user may not read them\n' +
        '2 objects are as they were deployed\n',
    });
  });
});

describe('drift', () => {
  it('is a field that has another value', () => {
    const other = {
      ...worker,
      spec: { ...worker.spec, replicas: 0, containers: [{ ...container, image: 'own:1' }] },
    };
    expect(compare([settings, other])).toEqual([
      'Deployment worker: spec.replicas was 2, is 0',
      'Deployment worker: spec.containers.0.image was "registry/app:1", is "own:1"',
    ]);
  });

  it('is a changed Secret, of which nothing is shown', () => {
    const data = { JWT_SECRET: Buffer.from('other').toString('base64') };
    expect(compare([settings, worker], [{ ...kept, data }])).toEqual([
      'Secret app: data.JWT_SECRET was changed',
    ]);
  });

  it.each([
    ['a field', { 'f:spec': { 'f:disks': { '.': {}, 'f:fast': {} } } }, 'spec.disks.fast'],
    [
      'an element of a list',
      { 'f:spec': { 'f:containers': { 'k:{"name":"spy"}': { '.': {}, 'f:image': {} } } } },
      'spec.containers.{"name":"spy"}.image',
    ],
  ])('is %s that no deployment would take back', (_what, fields, path) => {
    expect(compare([settings, managed('kubectl-edit', fields)])).toEqual([
      `Deployment worker: ${path} was added by kubectl-edit at 2026-01-01T00:00:00Z`,
    ]);
  });

  it('is no switch that an operator turned with kubectl', () => {
    const turned = { 'f:data': { 'f:DIGITAL_SELL_ENABLED': {} } };
    expect(compare([written(settings, 'kubectl-patch', turned), worker])).toEqual([]);
  });

  it.each([
    ['a field that the stack names', managed('kubectl', { 'f:spec': { 'f:replicas': {} } })],
    [
      'an element that the stack names',
      managed('kubectl-set', {
        'f:spec': { 'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:image': {} } } },
      }),
    ],
    ['what a controller wrote', managed('kube-controller-manager', { 'f:more': {} })],
    ['a state', managed('kubectl', { 'f:status': { 'f:x': {} } }, { subresource: 'status' })],
    [
      'a rolling restart',
      managed('kubectl-rollout', {
        'f:spec': {
          'f:template': {
            'f:metadata': { 'f:annotations': { 'f:kubectl.kubernetes.io/restartedAt': {} } },
          },
        },
      }),
    ],
  ])('is not %s', (_what, live) => {
    expect(compare([settings, live])).toEqual([]);
  });
});
