import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { mustRun } from './run-command.ts';
import { homeFolder } from './stack-run.ts';
import type { StepDeps } from './steps.ts';

/** A program of one ConfigMap that was renamed and moved into a component, with its old name or without. */
const program = `
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

const { AGE, PLACE } = process.env;
class Home extends pulumi.ComponentResource {
  constructor() {
    super('digital-gold:deploy:Home', 'home');
  }
}
const args = { metadata: { name: 'alias-try', namespace: PLACE }, data: { kept: 'yes' } };
const old = { name: 'old', parent: pulumi.rootStackResource };
if (AGE === 'before') new kubernetes.core.v1.ConfigMap('old', args);
else {
  const aliases = AGE === 'aliased' ? [old] : [];
  new kubernetes.core.v1.ConfigMap('new', args, { parent: new Home(), aliases });
}
`;

const project = {
  name: 'alias-try',
  main: 'program.mjs',
  runtime: { name: 'nodejs', options: { typescript: false } },
};

const stepsSchema = z.object({
  steps: z.array(z.object({ op: z.string(), urn: z.string() })).default([]),
});

/** Expects a resource that was renamed and moved to keep its object by an alias, and to lose it without. */
export const keepByAlias =
  ({ run, namespace }: StepDeps) =>
  async () => {
    const folder = `${homeFolder}/alias-try`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(`${folder}/state`, { recursive: true });
    writeFileSync(`${folder}/Pulumi.yaml`, JSON.stringify(project));
    writeFileSync(`${folder}/package.json`, '{ "type": "module", "private": true }');
    writeFileSync(`${folder}/program.mjs`, program);
    const env = { ...run.env, PULUMI_BACKEND_URL: `file://${folder}/state`, PLACE: namespace };
    const pulumi = (age: string, ...args: readonly string[]) =>
      mustRun('pulumi', [...args, '--stack', 'try'], { cwd: folder, env: { ...env, AGE: age } });
    const up = (age: string) => pulumi(age, 'up', '--yes', '--skip-preview', '--non-interactive');
    const opsOf = async (age: string) => {
      const text = await pulumi(age, 'preview', '--json', '--non-interactive');
      return stepsSchema
        .parse(JSON.parse(text))
        .steps.filter(({ urn }) => urn.includes('ConfigMap'))
        .map(({ op }) => op)
        .toSorted((one, other) => one.localeCompare(other));
    };
    const uid = () =>
      mustRun('kubectl', [
        '-n',
        namespace,
        'get',
        'configmap',
        'alias-try',
        '-o',
        'jsonpath={.metadata.uid}',
      ]);
    await mustRun('pulumi', ['stack', 'init', 'try'], { cwd: folder, env });
    await up('before');
    const first = await uid();
    assert.deepEqual(await opsOf('bare'), ['create', 'delete']);
    assert.deepEqual(await opsOf('aliased'), []);
    await up('aliased');
    assert.equal(await uid(), first, 'the object was made again');
    await pulumi('aliased', 'destroy', '--yes', '--skip-preview', '--non-interactive');
  };
