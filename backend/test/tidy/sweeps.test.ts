import { expect, it } from 'vitest';
import { placeOf, serviceSources } from './source-files.ts';

const modules = serviceSources.flatMap(({ path, code }) => {
  const module = /^src\/modules\/(?<module>[a-z-]+)\//u.exec(path)?.groups?.['module'];
  return module === undefined ? [] : [{ path, code, module }];
});

/** A sweep or purge in source: its name, then what it runs. */
const sweepPattern =
  /\bname: '(?<name>[a-z-]+)',\s+(?:everyMs.*,\s+)?(?:async )?(?<deed>run|flow|deleteBatch|table)\b/gu;
/** The same if the name is in a separate constant. */
const namedPattern = /\bconst name = '(?<name>[a-z0-9-]+)';/gu;

const found = modules.flatMap(({ path, code, module }) =>
  [
    ...code.matchAll(sweepPattern),
    ...(code.includes(': Sweep') ? code.matchAll(namedPattern) : []),
  ].map(({ index, groups }) => ({
    place: placeOf(path, code, index),
    path,
    module,
    name: groups?.['name'] ?? '',
    isPurge: /^(?:deleteBatch|table)$/u.test(groups?.['deed'] ?? ''),
  })),
);

it('finds the sweeps and purges of the modules', () => {
  expect(found.filter(({ isPurge }) => !isPurge).length).toBeGreaterThan(35);
  expect(found.filter(({ isPurge }) => isPurge).length).toBeGreaterThan(15);
});

it('names a sweep or purge with its module as prefix', () => {
  const others = found.filter(
    ({ name, module }) => name !== module && !name.startsWith(`${module}-`),
  );
  expect(others.map(({ place, name }) => `${place}: ${name}`)).toEqual([]);
});

it('defines a sweep or purge in a file x.sweeps.ts of its module', () => {
  const elsewhere = found.filter(({ path }) => !path.endsWith('.sweeps.ts'));
  expect(elsewhere.map(({ place, name }) => `${place}: ${name}`)).toEqual([]);
});
