import { expect, it } from 'vitest';
import { allSources, neighbourSources } from './source-files.ts';
import { commentsOf } from './strip-source.ts';

/** Drops code, quotations and citations of the contract, which have words of their own. */
const proseOf = (comment: string): string =>
  comment.replaceAll(/`[^`]*`|"[^"]*"|\(contract\b[^)]*\)/gu, '');

/** Returns the comments that hang two statements together, or use a word that nobody says. */
const oddComments = (text: string): string[] =>
  commentsOf(text).filter((comment) => /;(?:\s|$)|\banew\b/u.test(proseOf(comment)));

/** Words that hide who does what, in the code that a deployment runs or an operator reads. */
const vagueWords = [
  'nobody',
  'whoever',
  'told',
  'turned down',
  'what became of',
  '(?:speaks?|tells?) of',
  'as it stands',
  '(?:comes?|came) to (?:its|an) end',
];
const vague = new RegExp(`\\b(?:${vagueWords.join('|')})\\b`, 'iu');

const vagueComments = (text: string): string[] =>
  commentsOf(text).filter((comment) => vague.test(proseOf(comment)));

it('names who does what in every comment, outside of tests', () => {
  const found = [...allSources, ...neighbourSources]
    .filter(({ isTest }) => !isTest)
    .flatMap(({ path, text }) => vagueComments(text).map((comment) => `${path}: ${comment}`));
  expect(found).toEqual([]);
});

it.each([
  '// Nobody asks.',
  '/** Finds out what became of it. */',
  '// Whoever holds it.',
  '// The worker is told.',
  '/** Waits until it comes to its end. */',
])('knows a vague comment when it sees it: %j', (text) => {
  expect(vagueComments(text)).toHaveLength(1);
});

it('says one statement a sentence in every comment, in words that people use', () => {
  const found = [...allSources, ...neighbourSources].flatMap(({ path, text }) =>
    oddComments(text).map((comment) => `${path}: ${comment}`),
  );
  expect(found).toEqual([]);
});

it.each([
  '/** Returns one thing; the other is left. */',
  '  // Begins anew.',
  '/**\n * Stays;\n * or goes.\n */',
])('knows an odd comment when it sees it: %j', (text) => {
  expect(oddComments(text)).toHaveLength(1);
});

it.each([
  '/** Sends `a; b` as it is. */',
  '/** Pays (contract: payouts > Payout holds; states > Payout). */',
  "const text = '// a; b';",
])('leaves %j alone', (text) => {
  expect(oddComments(text)).toEqual([]);
});
