import { beforeAll, describe, expect, it } from 'vitest';
import type * as program from '../src/stack.ts';
import { recordResources, travellingSecret, valueOf, type Made } from './support/mocks.ts';
import { exampleClouds, exampleInput, parseInput, refusalOf } from './support/stack-texts.ts';

let made: Made[];
let createStack: typeof program.createStack;

beforeAll(async () => {
  made = await recordResources();
  ({ createStack } = await import('../src/stack.ts'));
});

const projectOf = (cloud: string): string => `organization/digital-gold-${cloud}/prod`;

describe.each(exampleClouds)('the stack of the service on the example for %s', (cloud) => {
  it('is taken with the secrets that the cloud does not give', () => {
    expect(refusalOf(exampleInput(cloud))).toBe('');
  });

  it('reaches the cluster and its stores by the stack of the example alone', async () => {
    made = await recordResources();
    const outputs = createStack(parseInput(exampleInput(cloud)));
    await valueOf(outputs.release);
    const inputsOf = (name: string) => made.find((one) => one.name === name)?.inputs ?? {};
    expect(travellingSecret.parse(inputsOf('cluster')['kubeconfig']).value).toBe(
      `kubeconfig of ${projectOf(cloud)}`,
    );
    const secretOf = (name: string) => travellingSecret.parse(inputsOf(name)['stringData']).value;
    expect(secretOf('digital-gold-worker')).toMatchObject({
      DATABASE_URL: `databaseUrl of ${projectOf(cloud)}`,
      REDIS_URL: `redisUrl of ${projectOf(cloud)}`,
    });
    expect(secretOf('digital-gold-migrations')).toEqual({
      MIGRATE_DATABASE_URL: `migrateDatabaseUrl of ${projectOf(cloud)}`,
    });
  });
});
