import * as pulumi from '@pulumi/pulumi';
import { z } from 'zod';

/** A resource that an example requested. */
export interface Made {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

const inputsSchema = z.record(z.string(), z.unknown());

/** Answers as the clouds do of each kind once it is there, as far as the examples read it. */
const statesOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'aws:eks/cluster:Cluster': {
    endpoint: 'https://cluster.example',
    certificateAuthority: { data: 'Y2E=' },
    vpcConfig: { clusterSecurityGroupId: 'sg-nodes' },
  },
  'aws:rds/instance:Instance': { address: 'database.example' },
  'aws:elasticache/replicationGroup:ReplicationGroup': { primaryEndpointAddress: 'cache.example' },
  'gcp:container/cluster:Cluster': {
    masterAuth: { clusterCaCertificate: 'Y2E=' },
    privateClusterConfig: { privateEndpoint: '10.0.0.2' },
  },
  'gcp:sql/databaseInstance:DatabaseInstance': { privateIpAddress: 'database.example' },
  'gcp:redis/instance:Instance': {
    host: 'cache.example',
    port: 6378,
    authString: 'a word',
    serverCaCerts: [{ cert: 'a certificate' }],
  },
  'gcp:storage/hmacKey:HmacKey': { accessId: 'GOOG1', secret: 'a key' },
};

/** Runs the examples without an engine. Each requested resource is added to the list. */
export const recordResources = async (): Promise<Made[]> => {
  const made: Made[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
        const given = inputsSchema.parse(inputs);
        made.push({ type, name, inputs: given });
        return {
          id: `${name}-id`,
          state: { name, arn: `arn:example:${name}`, ...given, ...statesOf[type] },
        };
      },
      call: ({ token }) => {
        throw new Error(`nothing may be asked of the cloud: ${token}`);
      },
    },
    'digital-gold-examples',
    'test',
  );
  return made;
};

/** Resolves to the value of an output, and to whether it is a secret. */
export const read = async <T>(
  output: pulumi.Output<T>,
): Promise<{ readonly value: T; readonly isSecret: boolean }> => {
  const value = await new Promise<T>((resolve) => {
    output.apply(resolve);
  });
  return { value, isSecret: await pulumi.isSecret(output) };
};
