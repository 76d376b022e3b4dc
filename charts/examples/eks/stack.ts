import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import type { Passwords } from '../shared/addresses.ts';
import { EksCluster } from './cluster.ts';
import { EksDocuments } from './documents.ts';
import type { EksSettings } from './settings.ts';
import { EksStores } from './stores.ts';

/** The outputs that the service's stack refers to. All but the bucket are secrets. */
export interface EksOutputs {
  readonly kubeconfig: pulumi.Output<string>;
  readonly databaseUrl: pulumi.Output<string>;
  readonly migrateDatabaseUrl: pulumi.Output<string>;
  readonly redisUrl: pulumi.Output<string>;
  readonly bucket: pulumi.Output<string>;
}

/** Creates what the service needs: cluster, database, cache and bucket. */
export const createEksStack = (
  settings: EksSettings,
  passwords: Passwords,
  cachePassword: pulumi.Input<string>,
): EksOutputs => {
  const provider = new aws.Provider('aws', { region: settings.region });
  const providers = { provider };
  const cluster = new EksCluster('digital-gold', settings, providers);
  const { databaseUrl, migrateDatabaseUrl, redisUrl } = new EksStores(
    'digital-gold',
    { settings, passwords, clientsId: cluster.securityGroupId, cachePassword },
    providers,
  );
  const documents = new EksDocuments(
    'digital-gold-documents',
    { settings, clusterName: cluster.name },
    providers,
  );
  return {
    kubeconfig: cluster.kubeconfig,
    databaseUrl,
    migrateDatabaseUrl,
    redisUrl,
    bucket: documents.bucket,
  };
};
