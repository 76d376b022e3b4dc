import { expect, it } from 'vitest';
import { placeOf, serviceSources } from './source-files.ts';

const importPattern =
  /\bimport (?<what>[^;]*?) from '[^']*\/platform\/transitions\/transitions\.ts'/gu;
const namePattern = /\b(?:transition|tryTransition|transitionMany)\b/u;

const importers = serviceSources.flatMap(({ path, code }) =>
  [...code.matchAll(importPattern)]
    .filter(({ groups }) => namePattern.test(groups?.['what'] ?? ''))
    .map(({ index }) => ({ path, place: placeOf(path, code, index) })),
);

it('finds the files that change states', () => {
  expect(importers.filter(({ path }) => path.endsWith('.states.ts')).length).toBeGreaterThan(5);
});

it('changes a state only by a function of an x.states.ts', () => {
  const elsewhere = importers.filter(({ path }) => !path.endsWith('.states.ts'));
  expect(elsewhere.map(({ place }) => place)).toEqual([]);
});
