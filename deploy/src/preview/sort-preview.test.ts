import { expect, it } from 'vitest';
import { sortPreview } from './sort-preview.ts';

const resource = (name: string) => [
  '    ~ kubernetes:core/v1:ConfigMap: (update)',
  `        [id=gold/${name}]`,
  `        [urn=urn:pulumi:prod::digital-gold::kubernetes:core/v1:ConfigMap::${name}]`,
  '      ~ data: {',
  `          ~ NAME: "old" => "${name}"`,
  '        }',
];
const head = [
  'Previewing update (prod):',
  '  pulumi:pulumi:Stack: (same)',
  '    [urn=urn:pulumi:a]',
];
const tail = ['Resources:', '    ~ 2 to update', ''];

it('prints a preview in one order, whichever its resources came in', () => {
  const sorted = [...head, ...resource('one'), ...resource('two'), ...tail].join('\n');
  const turned = [...head, ...resource('two'), ...resource('one'), ...tail].join('\n');
  expect(sortPreview(turned)).toBe(sorted);
  expect(sortPreview(sorted)).toBe(sorted);
});

it('leaves out how long it took', () => {
  const fast = [...head, ...resource('one'), ...resource('two'), ...tail];
  const slow = fast.flatMap((line) =>
    line.startsWith('    ~ kubernetes') ? ['@ previewing update....', line] : [line],
  );
  expect(sortPreview(slow.join('\n'))).toBe(fast.join('\n'));
});

it('leaves out the end of a name that each preview draws anew', () => {
  const [one, other] = ['1a2b3c4', '99aabbcd'].map(
    (end) => `          name: "digital-gold-customer-${end}"`,
  );
  expect(sortPreview(one ?? '')).toBe(sortPreview(other ?? ''));
  const job = '          name: "digital-gold-migrate-db56f30df3"';
  expect(sortPreview(job)).toBe(job);
});
