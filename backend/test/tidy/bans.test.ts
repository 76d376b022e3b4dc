import { describe, expect, it } from 'vitest';
import { bans, wordBans, type Ban } from './bans.ts';
import { allSources, findIn, neighbourSources, type SourceFile } from './source-files.ts';

/** The lists of what is banned name it. */
const ownFiles = /^test\/tidy\//u;

const breaches = (ban: Ban, textOf: (file: SourceFile) => string): string[] =>
  allSources
    .filter((file) => ban.where(file) && !ownFiles.test(file.path))
    .filter((file) => ban.allowed?.[file.path] === undefined)
    .flatMap((file) => findIn(file.path, textOf(file), ban.pattern))
    .map((found) => `${found} -> ${ban.instead}`);

describe.each(bans)('$name', (ban) => {
  it('stays in its home', () => {
    expect(breaches(ban, (file) => (ban.name === 'sleeping' ? file.code : file.bareCode))).toEqual(
      [],
    );
  });

  it('is allowed only where it is used', () => {
    const unused = Object.keys(ban.allowed ?? {}).filter((path) => {
      const file = allSources.find((one) => one.path === path);
      return file === undefined || findIn(path, file.bareCode, ban.pattern).length === 0;
    });
    expect(unused).toEqual([]);
  });
});

/** Bans that bind every workspace. The others are about the service's own parts. */
const everywhere = new Set(['tests that do not run']);

it.each(bans.filter(({ name }) => everywhere.has(name)))(
  'has no $name in the other workspaces either',
  ({ pattern }) => {
    expect(neighbourSources.length).toBeGreaterThan(0);
    const found = neighbourSources.flatMap(({ path, bareCode }) => findIn(path, bareCode, pattern));
    expect(found).toEqual([]);
  },
);

it.each(wordBans)('has no $name', (ban) => {
  expect(breaches(ban, (file) => file.text)).toEqual([]);
});

const examples: Readonly<Record<string, readonly string[]>> = {
  'the environment': ['process.env.X'],
  'the time of day': ['Date.now()', 'new Date()', 'new Date( )'],
  sleeping: ['node:timers/promises'],
  randomness: ['Math.random()'],
  'floats near money': ['Number(x)', 'parseFloat(x)', 'x.toFixed(2)', '.transform(Number)'],
  'rounding near money': ['Math.round(x)'],
  "the ORM's raw queries": ['db.$queryRaw`', 'db.$executeRaw('],
  'tests that do not run': ['it.only(', 'describe.skip(', 'it.todo(', 'it.skip.each'],
  'sleeping in tests': ['setTimeout(resolve, 5)', 'await delay(5)'],
};

it.each(bans)('knows $name when it sees it', ({ name, pattern }) => {
  const texts = examples[name] ?? [];
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(findIn('x.ts', text, pattern)).not.toEqual([]);
});

it.each(['performance.now()', 'new Date(text)', 'myDate.nowhere', 'toNumbers(x)'])(
  'leaves %s alone',
  (text) => {
    for (const { pattern } of bans) expect(findIn('x.ts', text, pattern)).toEqual([]);
  },
);
