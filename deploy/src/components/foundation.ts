import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { isProtected, type StackConfig } from '../config/stack-config.ts';
import { releaseName } from '../processes.ts';
import type { OwnedNames } from '../values/chart-values.ts';
import { labelsOf, restrictedPods } from '../values/labels.ts';
import { secretData } from '../values/secret-data.ts';
import { stackAnnotations } from '../values/stack-facts.ts';

/** The names of the Secrets that the testbed publishes. All processes share one. */
const testbedSecrets = {
  secrets: {
    customer: 'testbed-app',
    admin: 'testbed-app',
    accounting: 'testbed-app',
    worker: 'testbed-app',
  },
  migrationSecret: 'testbed-migrate',
} as const;

/**
 * The fields of the settings that are not sent again once they exist, so that an operator's change
 * of a switch stays.
 */
const settingsIgnored = ['data', 'metadata.labels', 'metadata.annotations'];

/**
 * Keeps Pulumi from waiting for a claim, which may stay unbound until the first pod that uses it is
 * scheduled.
 */
const unawaited = { 'pulumi.com/skipAwait': 'true' };

/** The parts of a foundation. */
export interface FoundationArgs {
  readonly config: StackConfig;
  /** The secrets that other stacks hold, by the names of their variables. */
  readonly secretsOfOthers: Readonly<Record<string, pulumi.Output<string>>>;
}

/**
 * Creates the objects that must exist before the chart and outlive it. These are the namespace, the
 * secrets, the switches and the claim of the customers' documents. Objects that cannot be recreated
 * are protected.
 */
export class Foundation extends pulumi.ComponentResource {
  /** The namespace's name, known once it exists. */
  readonly namespace: pulumi.Output<string>;
  /** The names that the chart's values refer to. */
  readonly names: OwnedNames<pulumi.Input<string>>;

  constructor(
    name: string,
    { config, secretsOfOthers }: FoundationArgs,
    options: pulumi.ComponentResourceOptions,
  ) {
    super('digital-gold:deploy:Foundation', name, {}, options);
    const parent = { parent: this };
    const lasting = { parent: this, protect: isProtected(config) };

    const namespace = new kubernetes.core.v1.Namespace(
      'namespace',
      {
        metadata: {
          name: config.namespace,
          labels: { ...labelsOf('namespace'), ...restrictedPods },
          annotations: stackAnnotations(config),
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

    this.names = {
      ...this.#createSecrets({ config, secretsOfOthers }, parent),
      settings: settings.metadata.name,
      claim:
        config.objectStore.type === 'filesystem'
          ? this.#createClaim(config, lasting).metadata.name
          : undefined,
    };
    this.registerOutputs({ namespace: this.namespace });
  }

  #createClaim(
    config: StackConfig,
    options: pulumi.CustomResourceOptions,
  ): kubernetes.core.v1.PersistentVolumeClaim {
    return new kubernetes.core.v1.PersistentVolumeClaim(
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
      options,
    );
  }

  /**
   * Creates a Secret for each process and one for the migrations, if it has content, and returns
   * their names. The names are generated: a changed Secret is created under a new name, the pods
   * roll to it, and the old one is deleted last.
   */
  #createSecrets(
    { config, secretsOfOthers }: FoundationArgs,
    parent: pulumi.CustomResourceOptions,
  ): Pick<OwnedNames<pulumi.Input<string>>, 'secrets' | 'migrationSecret'> {
    const own: Readonly<Record<string, pulumi.Input<string>>> = {
      ...config.secrets,
      ...secretsOfOthers,
    };
    const hasSecrets = Object.keys({ ...own, ...config.secretsFrom }).length > 0;
    if (config.testbed && !hasSecrets) return testbedSecrets;
    const data = secretData(own);
    const create = (owner: keyof typeof data) => {
      if (Object.keys(data[owner]).length === 0) return undefined;
      const name = `${releaseName}-${owner}`;
      return new kubernetes.core.v1.Secret(
        name,
        {
          metadata: { namespace: this.namespace, labels: labelsOf(name) },
          stringData: pulumi.secret({ ...data[owner] }),
        },
        parent,
      ).metadata.name;
    };
    return {
      secrets: {
        customer: create('customer'),
        admin: create('admin'),
        accounting: create('accounting'),
        worker: create('worker'),
      },
      migrationSecret: create('migrations'),
    };
  }
}
