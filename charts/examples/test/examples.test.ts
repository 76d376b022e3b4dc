import { readFileSync } from 'node:fs';
import * as pulumi from '@pulumi/pulumi';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { managedStores } from '../../../deploy/policy/managed-stores.ts';
import { eksSettings } from '../eks/settings.ts';
import { createEksStack, type EksOutputs } from '../eks/stack.ts';
import { gkeSettings } from '../gke/settings.ts';
import { createGkeStack, type GkeOutputs } from '../gke/stack.ts';
import { read, recordResources, type Made } from './record-resources.ts';

const passwords = {
  application: pulumi.secret('word/one'),
  migrate: pulumi.secret('word two'),
};
const rule = managedStores({ tier: 'prod', internalClasses: [], internalGateways: [] });

const referenceSchema = z.object({ stack: z.string(), output: z.string() });
const stackSchema = z.object({
  config: z.object({
    'digital-gold:references': z.object({
      kubeconfig: referenceSchema,
      secrets: z.record(z.string(), referenceSchema),
    }),
  }),
});
const projectSchema = z.object({ name: z.string() });

/** The outputs that the service's stack takes from the example, and of which stack it takes them. */
const referencesOf = (example: string) => {
  const text = readFileSync(new URL(`../${example}/service.yaml`, import.meta.url), 'utf8');
  const { kubeconfig, secrets } = stackSchema.parse(parse(text)).config['digital-gold:references'];
  return [kubeconfig, ...Object.values(secrets)];
};

const projectOf = (example: string): string => {
  const text = readFileSync(new URL(`../${example}/Pulumi.yaml`, import.meta.url), 'utf8');
  return projectSchema.parse(parse(text)).name;
};

/** Waits until every resource that depends on another resource was requested. */
const settled = async (outputs: EksOutputs | GkeOutputs) => {
  for (const output of Object.values(outputs)) await read(output);
};

const ofType = (made: readonly Made[], type: string) =>
  made.filter((one) => one.type === type).map(({ inputs }) => inputs);

describe('the example for EKS', () => {
  let made: Made[];
  let outputs: EksOutputs;
  beforeAll(async () => {
    made = await recordResources();
    const settings = eksSettings.parse({
      region: 'ap-south-1',
      vpcId: 'vpc-1',
      nodeSubnets: ['subnet-1', 'subnet-2', 'subnet-3'],
      storeSubnets: ['subnet-4', 'subnet-5'],
      bucket: 'digital-gold-documents',
    });
    outputs = createEksStack(settings, passwords, pulumi.secret('a long cache password'));
    await settled(outputs);
  });

  it('gives the service its addresses over TLS, as secrets', async () => {
    expect(await read(outputs.databaseUrl)).toEqual({
      value: 'postgresql://dgs_app:word%2Fone@database.example:5432/digital_gold?sslmode=require',
      isSecret: true,
    });
    const migrate = await read(outputs.migrateDatabaseUrl);
    expect(migrate.value).toContain('//dgs_migrate:word%20two@');
    expect(migrate.isSecret).toBe(true);
    expect(await read(outputs.redisUrl)).toEqual({
      value: 'rediss://:a%20long%20cache%20password@cache.example:6379',
      isSecret: true,
    });
  });

  it('gives a kubeconfig without a token, as a secret', async () => {
    const { value, isSecret } = await read(outputs.kubeconfig);
    expect(isSecret).toBe(true);
    expect(value).toContain('"server":"https://cluster.example"');
    expect(value).toContain('get-token');
    expect(value).not.toMatch(/"token"|"password"/u);
  });

  it('lets the nodes alone into the stores', () => {
    const rules = ofType(made, 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule');
    expect(
      rules.map(({ fromPort, referencedSecurityGroupId }) => [fromPort, referencedSecurityGroupId]),
    ).toEqual(
      expect.arrayContaining([
        [5432, 'sg-nodes'],
        [6379, 'sg-nodes'],
      ]),
    );
    expect(rules.every(({ cidrIpv4 }) => cidrIpv4 === undefined)).toBe(true);
  });

  it('enforces network policies, and opens the bucket to the pods', () => {
    const addons = ofType(made, 'aws:eks/addon:Addon');
    const network = addons.find(({ addonName }) => addonName === 'vpc-cni');
    expect(network?.['configurationValues']).toContain('"enableNetworkPolicy":"true"');
    expect(ofType(made, 'aws:eks/podIdentityAssociation:PodIdentityAssociation')).toMatchObject([
      { namespace: 'digital-gold', serviceAccount: 'digital-gold' },
    ]);
  });

  it('breaks no policy', () => {
    expect(made.flatMap(({ type, inputs }) => rule(type, inputs))).toEqual([]);
    expect(ofType(made, 'aws:rds/instance:Instance')).toHaveLength(1);
  });

  it('gives every output that the stack of the service takes', () => {
    for (const { stack, output } of referencesOf('eks')) {
      expect(stack.split('/')[1]).toBe(projectOf('eks'));
      expect(outputs).toHaveProperty(output);
    }
  });
});

describe('the example for GKE', () => {
  let made: Made[];
  let outputs: GkeOutputs;
  beforeAll(async () => {
    made = await recordResources();
    const settings = gkeSettings.parse({
      project: 'gold',
      region: 'asia-south1',
      network: 'projects/gold/global/networks/house',
      subnetwork: 'nodes',
      podRange: 'pods',
      serviceRange: 'services',
      apiServerRanges: ['10.1.0.0/24'],
      bucket: 'digital-gold-documents',
    });
    outputs = createGkeStack(settings, passwords);
    await settled(outputs);
  });

  it('gives the service its addresses over TLS, as secrets', async () => {
    expect(await read(outputs.databaseUrl)).toEqual({
      value: 'postgresql://dgs_app:word%2Fone@database.example:5432/digital_gold?sslmode=require',
      isSecret: true,
    });
    expect(await read(outputs.redisUrl)).toEqual({
      value: 'rediss://:a%20word@cache.example:6378',
      isSecret: true,
    });
    expect((await read(outputs.s3SecretAccessKey)).isSecret).toBe(true);
    expect((await read(outputs.redisAuthority)).value).toBe('a certificate');
  });

  it('gives a kubeconfig without a token, as a secret', async () => {
    const { value, isSecret } = await read(outputs.kubeconfig);
    expect(isSecret).toBe(true);
    expect(value).toContain('"server":"https://10.0.0.2"');
    expect(value).toContain('gke-gcloud-auth-plugin');
  });

  it('keeps no document that was deleted', () => {
    const [bucket] = ofType(made, 'gcp:storage/bucket:Bucket');
    expect(bucket).toMatchObject({ softDeletePolicy: { retentionDurationSeconds: 0 } });
    expect(bucket).not.toHaveProperty('versioning');
  });

  it('breaks no policy', () => {
    expect(made.flatMap(({ type, inputs }) => rule(type, inputs))).toEqual([]);
    expect(ofType(made, 'gcp:sql/databaseInstance:DatabaseInstance')).toHaveLength(1);
  });

  it('gives every output that the stack of the service takes', () => {
    for (const { stack, output } of referencesOf('gke')) {
      expect(stack.split('/')[1]).toBe(projectOf('gke'));
      expect(outputs).toHaveProperty(output);
    }
  });
});
