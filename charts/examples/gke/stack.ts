import * as gcp from '@pulumi/gcp';
import type * as pulumi from '@pulumi/pulumi';
import type { Passwords } from '../shared/addresses.ts';
import { GkeCluster } from './cluster.ts';
import { GkeDocuments } from './documents.ts';
import type { GkeSettings } from './settings.ts';
import { GkeStores } from './stores.ts';

/** The outputs that the service's stack refers to, and three that its file names in clear. */
export interface GkeOutputs {
  readonly kubeconfig: pulumi.Output<string>;
  readonly databaseUrl: pulumi.Output<string>;
  readonly migrateDatabaseUrl: pulumi.Output<string>;
  readonly redisUrl: pulumi.Output<string>;
  readonly s3SecretAccessKey: pulumi.Output<string>;
  readonly redisAuthority: pulumi.Output<string>;
  readonly bucket: pulumi.Output<string>;
  readonly s3AccessKeyId: pulumi.Output<string>;
}

/** Creates what the service needs: cluster, database, cache and bucket. */
export const createGkeStack = (settings: GkeSettings, passwords: Passwords): GkeOutputs => {
  const { project, region } = settings;
  const providers = { provider: new gcp.Provider('gcp', { project, region }) };
  const cluster = new GkeCluster('digital-gold', settings, providers);
  const { databaseUrl, migrateDatabaseUrl, redisUrl, redisAuthority } = new GkeStores(
    'digital-gold',
    { settings, passwords },
    providers,
  );
  const documents = new GkeDocuments('digital-gold-documents', settings, providers);
  return {
    kubeconfig: cluster.kubeconfig,
    databaseUrl,
    migrateDatabaseUrl,
    redisUrl,
    s3SecretAccessKey: documents.s3SecretAccessKey,
    redisAuthority,
    bucket: documents.bucket,
    s3AccessKeyId: documents.s3AccessKeyId,
  };
};
