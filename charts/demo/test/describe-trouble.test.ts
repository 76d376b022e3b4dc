import { expect, it } from 'vitest';
import { createDemoContext } from '../src/create-demo-context.ts';
import { describeTrouble } from '../src/describe-trouble.ts';
import { readOptions } from '../src/read-options.ts';

it('adds nothing to a failure of a cluster that cannot be reached', async () => {
  const context = createDemoContext({
    options: readOptions({}),
    repository: import.meta.dirname,
    kubeContext: 'no-such-context',
    print: () => {},
  });
  expect(await describeTrouble(context)).toEqual([]);
});
