import { expect, it } from 'vitest';
import { allSources, neighbourSources } from './source-files.ts';
import { commentsOf } from './strip-source.ts';

/** Drops code, quotations and citations of the contract, which have words of their own. */
const proseOf = (comment: string): string =>
  comment.replaceAll(/`[^`]*`|"[^"]*"|\(contract\b[^)]*\)/gu, '');

/** Returns the comments that hang two statements together, or use a word that nobody says. */
const oddComments = (text: string): string[] =>
  commentsOf(text).filter((comment) => /;(?:\s|$)|\banew\b/u.test(proseOf(comment)));

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
