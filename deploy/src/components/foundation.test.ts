import type * as pulumi from '@pulumi/pulumi';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordResources, valueOf } from '../../test/support/mocks.ts';
import {
  parseInput,
  prodInput,
  readStackFile,
  withPath,
  type StackInput,
} from '../../test/support/stack-texts.ts';
import type * as program from './foundation.ts';

let Foundation: typeof program.Foundation;

beforeAll(async () => {
  await recordResources();
  ({ Foundation } = await import('./foundation.ts'));
});

/** The options that each resource was made with, by its name. */
const optionsOf = async (input: StackInput): Promise<Map<string, pulumi.CustomResourceOptions>> => {
  const seen = new Map<string, pulumi.CustomResourceOptions>();
  const args = { config: parseInput(input), secretsOfOthers: {} };
  const foundation = new Foundation('foundation', args, {
    transformations: [
      ({ name, opts }) => {
        seen.set(name, opts);
        return undefined;
      },
    ],
  });
  await valueOf(foundation.namespace);
  return seen;
};

const lasting = ['namespace', 'settings', 'documents'];

describe('what cannot be made again', () => {
  it.each(lasting)('%s is protected in prod', async (name) => {
    expect((await optionsOf(prodInput())).get(name)?.protect).toBe(true);
  });

  it.each(lasting)('%s goes with the stack in dev', async (name) => {
    expect((await optionsOf(readStackFile('dev'))).get(name)?.protect).toBe(false);
  });

  it('is protected in dev where the stack says so', async () => {
    const options = await optionsOf(withPath(readStackFile('dev'), 'protect', true));
    expect(options.get('settings')?.protect).toBe(true);
  });
});

describe('the switches', () => {
  it('are never sent again, neither alone nor with a changed label', async () => {
    expect((await optionsOf(prodInput())).get('settings')?.ignoreChanges).toEqual([
      'data',
      'metadata.labels',
      'metadata.annotations',
    ]);
  });
});
