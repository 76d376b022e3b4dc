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
