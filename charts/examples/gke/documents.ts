import * as gcp from '@pulumi/gcp';
import * as pulumi from '@pulumi/pulumi';
import type { GkeSettings } from './settings.ts';

/**
 * Creates the bucket of the customers' documents, with a key for its S3 interface. It keeps neither
 * versions nor what was deleted, since both would outlive a deletion.
 */
export class GkeDocuments extends pulumi.ComponentResource {
  readonly bucket: pulumi.Output<string>;
  readonly s3AccessKeyId: pulumi.Output<string>;
  readonly s3SecretAccessKey: pulumi.Output<string>;

  constructor(name: string, settings: GkeSettings, options?: pulumi.ComponentResourceOptions) {
    super('digital-gold:examples:GkeDocuments', name, {}, options);
    const parent = { parent: this };
    const bucket = new gcp.storage.Bucket(
      name,
      {
        name: settings.bucket,
        location: settings.region,
        uniformBucketLevelAccess: true,
        publicAccessPrevention: 'enforced',
        softDeletePolicy: { retentionDurationSeconds: 0 },
      },
      { ...parent, protect: true },
    );
    const account = new gcp.serviceaccount.Account(
      name,
      { accountId: name, displayName: 'Documents of the digital gold service' },
      parent,
    );
    new gcp.storage.BucketIAMMember(
      name,
      {
        bucket: bucket.name,
        role: 'roles/storage.objectUser',
        member: pulumi.interpolate`serviceAccount:${account.email}`,
      },
      parent,
    );
    const key = new gcp.storage.HmacKey(name, { serviceAccountEmail: account.email }, parent);
    this.bucket = bucket.name;
    this.s3AccessKeyId = key.accessId;
    this.s3SecretAccessKey = pulumi.secret(key.secret);
    this.registerOutputs({ bucket: this.bucket });
  }
}
