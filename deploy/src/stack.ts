import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { Application } from './components/application.ts';
import { Foundation } from './components/foundation.ts';
import type { StackConfig } from './config/stack-config.ts';

/** The outputs of a stack, for people and for other stacks. Only `kubeconfig` is a secret. */
export interface StackOutputs {
  /** The namespace with everything in it. */
  readonly namespace: pulumi.Output<string>;
  /** The release's name, which is known when all objects of the chart are ready. */
  readonly release: pulumi.Output<string>;
  /** The released version, or undefined if the configuration names an image directly. */
  readonly version: string | undefined;
  /** The image that runs, with its digest if the digest is known. */
  readonly image: string;
  /** The host name of each API. */
  readonly hosts: Readonly<Record<'customer' | 'admin' | 'accounting', string>>;
  /** The ConfigMap with the switches, which `goldctl gates` changes. */
  readonly settings: pulumi.Output<string>;
  /** The stack's kubeconfig, for stacks that build on it, or undefined if the stack has none. */
  readonly kubeconfig: pulumi.Output<string> | undefined;
}

type OutputOfStack = NonNullable<StackConfig['references']['kubeconfig']>;

/** Creates a reader of other stacks' outputs, which refers to each stack once. */
const createReader = () => {
  const stacks = new Map<string, pulumi.StackReference>();
  return ({ stack, output }: OutputOfStack): pulumi.Output<string> => {
    const reference = stacks.get(stack) ?? new pulumi.StackReference(stack);
    stacks.set(stack, reference);
    return pulumi.secret(
      reference.requireOutput(output).apply((value: unknown) => {
        if (typeof value === 'string' && value !== '') return value;
        throw new pulumi.RunError(`output ${output} of ${stack} is not a text`);
      }),
    );
  };
};

const imageText = ({ image: { repository, tag, digest } }: StackConfig): string =>
  `${repository}:${tag}${digest === undefined ? '' : `@${digest}`}`;

/** Deploys the whole service to the cluster that the configuration names. */
export const createStack = (config: StackConfig): StackOutputs => {
  const read = createReader();
  const { kubeContext, references } = config;
  const own = config.kubeconfig === undefined ? undefined : pulumi.secret(config.kubeconfig);
  const kubeconfig = references.kubeconfig === undefined ? own : read(references.kubeconfig);
  const provider = new kubernetes.Provider('cluster', {
    ...(kubeContext === undefined ? {} : { context: kubeContext }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    // The chart's ConfigMaps have fixed names, and a checksum rolls the pods. Replacing a ConfigMap
    // would remove it for a moment.
    enableConfigMapMutable: true,
  });
  const secretsOfOthers = Object.fromEntries(
    Object.entries(references.secrets).map(([name, reference]) => [name, read(reference)]),
  );
  const foundation = new Foundation('foundation', { config, secretsOfOthers }, { provider });
  const application = new Application('application', { config, foundation }, { provider });
  const { customer, admin, accounting } = config.ingress;
  return {
    namespace: foundation.namespace,
    release: application.release,
    version: config.release,
    image: imageText(config),
    hosts: { customer: customer.host, admin: admin.host, accounting: accounting.host },
    settings: pulumi.output(foundation.names.settings),
    kubeconfig,
  };
};
