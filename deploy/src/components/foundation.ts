import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { isProtected, type StackConfig } from '../config/stack-config.ts';
import { releaseName } from '../processes.ts';
import type { OwnedNames } from '../values/chart-values.ts';
import { labelsOf, restrictedPods } from '../values/labels.ts';
import { secretData } from '../values/secret-data.ts';

/** Names of the Secrets that the testbed publishes. */
const testbedSecrets = { service: 'testbed-app', migrations: 'testbed-migrate' } as const;

/** Never sent again once it is there, so that what an operator flipped stays flipped. */
const settingsIgnored = ['data', 'metadata.labels', 'metadata.annotations'];

/** A claim may stay unbound until the first pod that uses it is placed. */
const unawaited = { 'pulumi.com/skipAwait': 'true' };

/**
 * Creates what must exist before the chart and outlive it: the namespace, the secrets, the switches
 * and the claim of the customers' documents. What can not be made again is protected.
 */
export class Foundation extends pulumi.ComponentResource {
  /** The namespace's name, known once it exists. */
  readonly namespace: pulumi.Output<string>;
  /** The names that the chart's values refer to. */
  readonly names: OwnedNames<pulumi.Input<string>>;

  constructor(config: StackConfig, options: pulumi.ComponentResourceOptions) {
    super('digital-gold:deploy:Foundation', 'foundation', {}, options);
    const parent = { parent: this };
    const lasting = { parent: this, protect: isProtected(config) };

    const namespace = new kubernetes.core.v1.Namespace(
      'namespace',
      {
        metadata: {
          name: config.namespace,
          labels: { ...labelsOf('namespace'), ...restrictedPods },
        },
      },
      lasting,
    );
    this.namespace = namespace.metadata.name;

    const settings = new kubernetes.core.v1.ConfigMap(
      'settings',
      {
        metadata: {
          name: `${releaseName}-settings`,
          namespace: this.namespace,
          labels: labelsOf('settings'),
        },
        data: config.settings,
      },
      { ...lasting, ignoreChanges: settingsIgnored },
    );

    const claim = new kubernetes.core.v1.PersistentVolumeClaim(
      'documents',
      {
        metadata: {
          name: `${releaseName}-documents`,
          namespace: this.namespace,
          labels: labelsOf('object-store'),
          annotations: unawaited,
        },
        spec: {
          accessModes: [config.objectStore.accessMode],
          resources: { requests: { storage: config.objectStore.size } },
          ...(config.objectStore.storageClass === undefined
            ? {}
            : { storageClassName: config.objectStore.storageClass }),
        },
      },
      lasting,
    );

    const [secret, migrationSecret] = this.#createSecrets(config, parent);
    this.names = {
      secret,
      migrationSecret,
      settings: settings.metadata.name,
      claim: claim.metadata.name,
    };
    this.registerOutputs({ namespace: this.namespace });
  }

  /**
   * Makes the two Secrets and gives their names. They have no name of ours: a changed one is made
   * anew under another name, the pods roll to it, and the old one goes last.
   */
  #createSecrets(
    { secrets }: StackConfig,
    parent: pulumi.CustomResourceOptions,
  ): readonly [pulumi.Input<string>, pulumi.Input<string>] {
    if (secrets === undefined) return [testbedSecrets.service, testbedSecrets.migrations];
    const data = secretData(secrets);
    const create = (name: string, content: Readonly<Record<string, string>>) =>
      new kubernetes.core.v1.Secret(
        name,
        {
          metadata: { namespace: this.namespace, labels: labelsOf(name) },
          stringData: pulumi.secret({ ...content }),
        },
        parent,
      ).metadata.name;
    return [
      create(`${releaseName}-environment`, data.service),
      create(`${releaseName}-migrations`, data.migrations),
    ];
  }
}
