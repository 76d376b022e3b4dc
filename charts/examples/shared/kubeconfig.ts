import * as pulumi from '@pulumi/pulumi';

/** The parts of a cluster's kubeconfig, and the program that signs in at each call. */
interface ClusterAccess {
  readonly name: pulumi.Input<string>;
  readonly server: pulumi.Input<string>;
  /** The certificate authority of the API server, as base64. */
  readonly authority: pulumi.Input<string>;
  readonly command: string;
  readonly args: pulumi.Input<readonly string[]>;
}

/** Returns a kubeconfig without a token: its holder signs in as themselves. */
export const kubeconfigOf = ({
  name,
  server,
  authority,
  command,
  args,
}: ClusterAccess): pulumi.Output<string> =>
  pulumi.secret(
    pulumi.all([name, server, authority, args]).apply(([cluster, address, ca, words]) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          { name: cluster, cluster: { server: address, 'certificate-authority-data': ca } },
        ],
        contexts: [{ name: cluster, context: { cluster, user: cluster } }],
        'current-context': cluster,
        users: [
          {
            name: cluster,
            user: {
              exec: {
                apiVersion: 'client.authentication.k8s.io/v1beta1',
                command,
                args: words,
                interactiveMode: 'Never',
                provideClusterInfo: true,
              },
            },
          },
        ],
      }),
    ),
  );
