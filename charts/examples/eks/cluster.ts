import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { kubeconfigOf } from '../shared/kubeconfig.ts';
import { serviceRole } from './roles.ts';
import type { EksSettings } from './settings.ts';

const nodePolicies = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
];

/**
 * The add-ons that EKS runs along with the service. Without the first one no NetworkPolicy is
 * enforced.
 */
const addons: Readonly<Record<string, object>> = {
  'vpc-cni': { enableNetworkPolicy: 'true' },
  'kube-proxy': {},
  coredns: {},
  'metrics-server': {},
  'eks-pod-identity-agent': {},
};

/** Creates a cluster whose API server only the company's network reaches, with three nodes. */
export class EksCluster extends pulumi.ComponentResource {
  readonly name: pulumi.Output<string>;
  readonly kubeconfig: pulumi.Output<string>;
  /** The security group of the nodes, which the stores let in. */
  readonly securityGroupId: pulumi.Output<string>;

  constructor(name: string, settings: EksSettings, options?: pulumi.ComponentResourceOptions) {
    super('digital-gold:examples:EksCluster', name, {}, options);
    const parent = { parent: this };
    const key = new aws.kms.Key(
      `${name}-secrets`,
      { description: 'Secrets of the cluster', enableKeyRotation: true },
      { ...parent, protect: true },
    );
    const role = serviceRole(`${name}-control-plane`, 'eks.amazonaws.com', parent);
    const attached = new aws.iam.RolePolicyAttachment(
      `${name}-control-plane`,
      { role: role.name, policyArn: 'arn:aws:iam::aws:policy/AmazonEKSClusterPolicy' },
      parent,
    );
    const cluster = new aws.eks.Cluster(
      name,
      {
        roleArn: role.arn,
        version: '1.34',
        vpcConfig: {
          subnetIds: [...settings.nodeSubnets],
          endpointPrivateAccess: true,
          endpointPublicAccess: false,
        },
        accessConfig: {
          authenticationMode: 'API',
          bootstrapClusterCreatorAdminPermissions: true,
        },
        encryptionConfig: { provider: { keyArn: key.arn }, resources: ['secrets'] },
        enabledClusterLogTypes: ['api', 'audit', 'authenticator'],
      },
      { ...parent, protect: true, dependsOn: attached },
    );
    this.#addNodes(name, cluster, settings);
    this.name = cluster.name;
    this.securityGroupId = cluster.vpcConfig.clusterSecurityGroupId;
    this.kubeconfig = kubeconfigOf({
      name: cluster.name,
      server: cluster.endpoint,
      authority: cluster.certificateAuthority.data,
      command: 'aws',
      args: cluster.name.apply((called) => [
        '--region',
        settings.region,
        'eks',
        'get-token',
        '--cluster-name',
        called,
      ]),
    });
    this.registerOutputs({ name: this.name, kubeconfig: this.kubeconfig });
  }

  #addNodes(name: string, cluster: aws.eks.Cluster, { nodeSubnets }: EksSettings): void {
    const parent = { parent: this };
    const role = serviceRole(`${name}-nodes`, 'ec2.amazonaws.com', parent);
    const attached = nodePolicies.map(
      (policy) =>
        new aws.iam.RolePolicyAttachment(
          `${name}-${policy}`,
          { role: role.name, policyArn: `arn:aws:iam::aws:policy/${policy}` },
          parent,
        ),
    );
    const nodes = new aws.eks.NodeGroup(
      `${name}-nodes`,
      {
        clusterName: cluster.name,
        nodeRoleArn: role.arn,
        subnetIds: [...nodeSubnets],
        instanceTypes: ['m7i.large'],
        scalingConfig: { minSize: 3, desiredSize: 3, maxSize: 6 },
        updateConfig: { maxUnavailable: 1 },
      },
      // The group's size is the autoscaler's afterwards.
      { ...parent, dependsOn: attached, ignoreChanges: ['scalingConfig.desiredSize'] },
    );
    for (const [addonName, values] of Object.entries(addons)) {
      new aws.eks.Addon(
        `${name}-${addonName}`,
        {
          clusterName: cluster.name,
          addonName,
          configurationValues: JSON.stringify(values),
          resolveConflictsOnUpdate: 'OVERWRITE',
        },
        { ...parent, dependsOn: nodes },
      );
    }
  }
}
