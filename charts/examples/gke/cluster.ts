import * as gcp from '@pulumi/gcp';
import * as pulumi from '@pulumi/pulumi';
import { kubeconfigOf } from '../shared/kubeconfig.ts';
import type { GkeSettings } from './settings.ts';

/** Creates an Autopilot cluster, whose nodes have no addresses of the internet. */
export class GkeCluster extends pulumi.ComponentResource {
  readonly kubeconfig: pulumi.Output<string>;

  constructor(name: string, settings: GkeSettings, options?: pulumi.ComponentResourceOptions) {
    super('digital-gold:examples:GkeCluster', name, {}, options);
    const cluster = new gcp.container.Cluster(
      name,
      {
        location: settings.region,
        enableAutopilot: true,
        network: settings.network,
        subnetwork: settings.subnetwork,
        ipAllocationPolicy: {
          clusterSecondaryRangeName: settings.podRange,
          servicesSecondaryRangeName: settings.serviceRange,
        },
        privateClusterConfig: { enablePrivateNodes: true, enablePrivateEndpoint: true },
        masterAuthorizedNetworksConfig: {
          cidrBlocks: settings.apiServerRanges.map((cidrBlock) => ({ cidrBlock })),
        },
        releaseChannel: { channel: 'REGULAR' },
        deletionProtection: true,
      },
      { parent: this, protect: true },
    );
    this.kubeconfig = kubeconfigOf({
      name: cluster.name,
      server: pulumi.interpolate`https://${cluster.privateClusterConfig.privateEndpoint}`,
      authority: cluster.masterAuth.clusterCaCertificate,
      command: 'gke-gcloud-auth-plugin',
      args: [],
    });
    this.registerOutputs({ kubeconfig: this.kubeconfig });
  }
}
