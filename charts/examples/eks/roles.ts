import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';

/** Creates a role that one service of AWS may take. */
export const serviceRole = (
  name: string,
  service: string,
  options: pulumi.CustomResourceOptions,
  actions: readonly string[] = ['sts:AssumeRole'],
): aws.iam.Role =>
  new aws.iam.Role(
    name,
    {
      assumeRolePolicy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: actions }],
      }),
    },
    options,
  );
