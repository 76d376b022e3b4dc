import * as kubernetes from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { Application } from './components/application.ts';
import { Foundation } from './components/foundation.ts';
import type { StackConfig } from './config/stack-config.ts';

/** The outputs of a stack. No secret is among them. */
export interface StackOutputs {
  readonly namespace: pulumi.Output<string>;
  readonly release: pulumi.Output<string>;
  /** The host name of each API. */
  readonly hosts: Readonly<Record<'customer' | 'admin' | 'accounting', string>>;
}

/** Puts the whole service on the cluster that the configuration names. */
export const createStack = (config: StackConfig): StackOutputs => {
  const provider = new kubernetes.Provider('cluster', {
    ...(config.kubeContext === undefined ? {} : { context: config.kubeContext }),
    // The chart's ConfigMaps have fixed names and roll the pods by a checksum: to replace one
    // would take it away for a moment.
    enableConfigMapMutable: true,
  });
  const foundation = new Foundation(config, { provider });
  const application = new Application(config, foundation, { provider });
  const { customer, admin, accounting } = config.ingress;
  return {
    namespace: foundation.namespace,
    release: application.release,
    hosts: { customer: customer.host, admin: admin.host, accounting: accounting.host },
  };
};
