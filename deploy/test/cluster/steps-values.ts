import assert from 'node:assert/strict';
import { z } from 'zod';
import { changesOf } from './changes.ts';
import { mustRun } from './run-command.ts';
import { smallProcesses } from './small-processes.ts';
import { apply, type StepDeps } from './steps.ts';
import { testbedRules } from './testbed-rules.ts';
import { refuseEach, violationsOfAnyTier } from './violations.ts';

const object = z.record(z.string(), z.unknown());
const peers = [{ ipBlock: { cidr: '10.77.0.0/16', except: ['10.77.9.0/24'] } }];
const annotation = { 'example.com/owner': 'gold-desk' };

/** Values of the chart that no key of the stack names: peers, resources, DNS, volumes, annotations. */
const valuesOfAHouse = (memory: string) => {
  const { worker, ...others } = smallProcesses;
  // A list is laid over as a whole, so what the testbed needs stands beside what the house adds.
  const rules = testbedRules();
  return {
    ...others,
    worker: { resources: { ...worker.resources, limits: { memory } } },
    networkPolicy: {
      egress: {
        extra: [...rules, { to: peers, ports: [{ port: 4317, protocol: 'TCP' }] }],
      },
    },
    dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
    extraVolumes: [{ name: 'authority', emptyDir: { sizeLimit: '1Mi' } }],
    extraVolumeMounts: [{ name: 'authority', mountPath: '/etc/authority' }],
    commonAnnotations: annotation,
  };
};

const read = async (namespace: string, ...args: readonly string[]): Promise<unknown> =>
  JSON.parse(await mustRun('kubectl', ['-n', namespace, 'get', ...args, '-o', 'json']));

/** Expects what a house wrote below `values` to stand in the cluster's objects. */
export const takeValues =
  ({ run, namespace }: StepDeps) =>
  async () => {
    run.write({ values: valuesOfAHouse('600Mi') });
    await run.must(...apply, '--policy-pack', 'policy/dist');
    const policies = JSON.stringify(await read(namespace, 'networkpolicies'));
    assert.ok(policies.includes(JSON.stringify(peers[0])), 'the ipBlock is in no NetworkPolicy');
    const deployment = object.parse(await read(namespace, 'deployment', 'digital-gold-worker'));
    assert.match(JSON.stringify(deployment['metadata']), /"example.com\/owner":"gold-desk"/u);
    const pod = JSON.stringify(deployment['spec']);
    for (const part of [
      '"limits":{"memory":"600Mi"}',
      '"dnsConfig":{"options":[{"name":"ndots","value":"2"}]}',
      '"mountPath":"/etc/authority"',
      '"emptyDir":{"sizeLimit":"1Mi"}',
    ]) {
      assert.ok(pod.includes(part), `${part} is not in the worker's Deployment`);
    }
  };

const generations = async (namespace: string): Promise<Readonly<Record<string, unknown>>> => {
  const schema = z.object({
    items: z.array(z.object({ metadata: z.object({ name: z.string(), generation: z.int() }) })),
  });
  const { items } = schema.parse(await read(namespace, 'deployments'));
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.generation]));
};

/** Expects one changed value to change one object, in the preview and on the cluster. */
export const changeOneValue =
  ({ run, namespace }: StepDeps) =>
  async () => {
    const before = await generations(namespace);
    run.write({ values: valuesOfAHouse('640Mi') });
    const changes = await changesOf(run);
    assert.deepEqual(changes, [{ op: 'update', what: 'Deployment digital-gold-worker' }]);
    await run.must(...apply);
    const after = await generations(namespace);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    assert.deepEqual(changed, ['digital-gold-worker']);
  };

/** Expects the chart's schema and the rules of the keys to refuse, each by name. */
export const refuseValues =
  ({ run }: StepDeps) =>
  async () => {
    const good = valuesOfAHouse('640Mi');
    const refusalOf = async (values: object): Promise<string> => {
      run.write({ values: { ...good, ...values } });
      const { code, output } = await run.pulumi('preview', '--non-interactive');
      assert.notEqual(code, 0, `${JSON.stringify(values)} was accepted`);
      return output;
    };
    assert.match(await refusalOf({ wroker: {} }), /wroker/u);
    assert.match(await refusalOf({ tmpSizeLimit: 'much' }), /tmpSizeLimit/u);
    assert.match(await refusalOf({ image: { tag: 'x' } }), /values\.image is set by `release`/u);
    run.write({ values: good });
    assert.deepEqual(await changesOf(run), []);
  };

/** Expects the pack to stop an update for each object that breaks a policy, before any is made. */
export const refuseViolations =
  ({ run, namespace }: StepDeps) =>
  async () => {
    const good = valuesOfAHouse('640Mi');
    await refuseEach(violationsOfAnyTier, run, good);
    const kinds = 'pod,ingress,configmap';
    const left = await mustRun('kubectl', ['-n', namespace, 'get', kinds, '-o', 'name']);
    assert.doesNotMatch(left, /\/refused$/mu, 'a refused object was made');
  };
