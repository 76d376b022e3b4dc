import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { changesOf } from './changes.ts';
import { mustRun } from './run-command.ts';
import { apply, type StepDeps } from './steps.ts';

const kinds = [
  'deployment',
  'statefulset',
  'job',
  'service',
  'ingress',
  'networkpolicy',
  'serviceaccount',
  'poddisruptionbudget',
  'horizontalpodautoscaler',
  'role.rbac.authorization.k8s.io',
  'rolebinding.rbac.authorization.k8s.io',
  'secret',
  'configmap',
  'persistentvolumeclaim',
];

/** Objects that Kubernetes itself puts into every namespace. */
const ofEveryNamespace = new Set(['configmap/kube-root-ca.crt', 'serviceaccount/default']);

/** Names what is in the namespace, but for what is in each. */
const objectsIn = async (namespace: string): Promise<readonly string[]> =>
  (await mustRun('kubectl', ['-n', namespace, 'get', kinds.join(','), '-o', 'name']))
    .split('\n')
    .filter((name) => name !== '' && !ofEveryNamespace.has(name))
    .toSorted((one, other) => one.localeCompare(other));

/** Expects a destroy to delete all but what is protected. */
export const destroyAllButProtected =
  ({ run, namespace, kubectl }: StepDeps) =>
  async () => {
    await run.must('destroy', '--exclude-protected', '--yes', '--non-interactive');
    assert.equal(await kubectl.exists(), true, 'the namespace is gone');
    assert.deepEqual(await objectsIn(namespace), [
      'configmap/digital-gold-settings',
      // Kubernetes keeps the volumes of a StatefulSet, here those of the testbed.
      'persistentvolumeclaim/books-testbed-sandbox-0',
      'persistentvolumeclaim/data-testbed-postgres-0',
      'persistentvolumeclaim/digital-gold-documents',
    ]);
  };

/** The protected objects, with the ids by which Pulumi imports them. */
const lasting = (namespace: string) => [
  { type: 'kubernetes:core/v1:Namespace', name: 'namespace', id: namespace },
  {
    type: 'kubernetes:core/v1:ConfigMap',
    name: 'settings',
    id: `${namespace}/digital-gold-settings`,
  },
  {
    type: 'kubernetes:core/v1:PersistentVolumeClaim',
    name: 'documents',
    id: `${namespace}/digital-gold-documents`,
  },
];

/** Loses the state of a stack whose namespace is there, and expects an import to find it whole. */
export const importAfterLoss =
  ({ run, namespace, kubectl }: StepDeps) =>
  async () => {
    const uidOf = () =>
      mustRun('kubectl', ['get', 'namespace', namespace, '-o', 'jsonpath={.metadata.uid}']);
    const uid = await uidOf();
    const switches = await kubectl.configMap('digital-gold-settings');
    await run.must('stack', 'rm', '--force', '--yes', '--stack', namespace);
    await run.init();
    const urn = `urn:pulumi:${namespace}::digital-gold::`;
    const file = `${run.stateFolder}/import.json`;
    const known = { parent: 'foundation', provider: 'cluster' };
    writeFileSync(
      file,
      JSON.stringify({
        nameTable: {
          cluster: `${urn}pulumi:providers:kubernetes::cluster`,
          foundation: `${urn}digital-gold:deploy:Foundation::foundation`,
        },
        resources: lasting(namespace).map((one) => ({ ...one, ...known })),
      }),
    );
    // It ends with an error where the stack makes Secrets itself: they are not there for the chart.
    await run.pulumi(...apply, '--target', '**::cluster', '--target', '**::foundation');
    const place = ['-n', namespace, 'get', 'persistentvolumeclaim', 'digital-gold-documents'];
    const storageClass = ['-o', 'jsonpath={.spec.storageClassName}'];
    await run.set({
      'objectStore.storageClass': await mustRun('kubectl', [...place, ...storageClass]),
    });
    await run.must('import', '--file', file, '--generate-code=false', '--yes', '--skip-preview');
    const changes = await changesOf(run);
    const made = new Set(changes.filter(({ op }) => op === 'create').map(({ what }) => what));
    assert.ok(made.has('Deployment digital-gold-worker'));
    for (const what of [
      'Namespace namespace',
      'ConfigMap settings',
      'PersistentVolumeClaim documents',
    ]) {
      assert.ok(!made.has(what), `${what} would be made again`);
    }
    assert.equal(await uidOf(), uid);
    assert.deepEqual(await kubectl.configMap('digital-gold-settings'), switches);
  };
