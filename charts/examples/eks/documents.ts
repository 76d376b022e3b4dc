import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { serviceRole } from './roles.ts';
import type { EksSettings } from './settings.ts';

/** The ServiceAccount of the chart's pods, by the name of the release. */
const serviceAccount = 'digital-gold';

const mayUse = (bucket: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
        Resource: `${bucket}/*`,
      },
      { Effect: 'Allow', Action: ['s3:ListBucket'], Resource: bucket },
    ],
  });

interface DocumentsArgs {
  readonly settings: EksSettings;
  readonly clusterName: pulumi.Input<string>;
}

/**
 * Creates the bucket of the customers' documents, which the service's pods use by their own
 * identity. It keeps no versions, since those would outlive a deletion.
 */
export class EksDocuments extends pulumi.ComponentResource {
  readonly bucket: pulumi.Output<string>;

  constructor(
    name: string,
    { settings, clusterName }: DocumentsArgs,
    options?: pulumi.ComponentResourceOptions,
  ) {
    super('digital-gold:examples:EksDocuments', name, {}, options);
    const parent = { parent: this };
    const bucket = new aws.s3.Bucket(
      name,
      { bucket: settings.bucket },
      { ...parent, protect: true },
    );
    new aws.s3.BucketPublicAccessBlock(
      name,
      {
        bucket: bucket.id,
        blockPublicAcls: true,
        blockPublicPolicy: true,
        ignorePublicAcls: true,
        restrictPublicBuckets: true,
      },
      parent,
    );
    const role = serviceRole(name, 'pods.eks.amazonaws.com', parent, [
      'sts:AssumeRole',
      'sts:TagSession',
    ]);
    new aws.iam.RolePolicy(name, { role: role.name, policy: bucket.arn.apply(mayUse) }, parent);
    new aws.eks.PodIdentityAssociation(
      name,
      { clusterName, namespace: settings.namespace, serviceAccount, roleArn: role.arn },
      parent,
    );
    this.bucket = bucket.bucket;
    this.registerOutputs({ bucket: this.bucket });
  }
}
