import { divideHalfUp } from '../../money/index.ts';

/** Titles, which are left out because only one of the two names may have them. */
const titles: ReadonlySet<string> = new Set(
  'DR KUM KUMAR KUMARI MASTER MISS MR MRS MS PROF SHRI SMT SRI'.split(' '),
);

const wordsOf = (name: string): readonly string[] => {
  const normalized = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase();
  const words = normalized.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const withoutTitles = words.filter((word) => !titles.has(word));
  return withoutTitles.length > 0 ? withoutTitles : words;
};

/** Returns the Levenshtein distance of two words. */
const countEdits = (one: string, other: string): number => {
  let previousRow = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(one).entries()) {
    const row = [index + 1];
    for (const [column, otherLetter] of Array.from(other).entries()) {
      const substitution = (previousRow[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      row.push(Math.min(substitution, (previousRow[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1));
    }
    previousRow = row;
  }
  return previousRow.at(-1) ?? 0;
};

/**
 * The minimum similarity, from 0 to 100, at which two words count as spellings of the same name, such as
 * VERMA and VARMA.
 */
const minSimilarity = 75n;
/** The similarity, from 0 to 100, of an initial and a word that starts with it. */
const initialScore = 80n;

/** Returns the similarity of two words, from 0 to 100. */
const similarityOf = (one: string, other: string): bigint => {
  if (one === other) return 100n;
  const isInitial = one.length === 1 || other.length === 1;
  if (isInitial) return one[0] === other[0] ? initialScore : 0n;
  const letters = Math.max(one.length, other.length);
  const matchingLetters = letters - countEdits(one, other);
  const similarity = divideHalfUp(BigInt(100 * matchingLetters), BigInt(letters));
  return similarity < minSimilarity ? 0n : similarity;
};

/** Pairs the words of two names, the most similar words first. Returns the sum of the similarities. */
const sumOfPairs = (words: readonly string[], others: readonly string[]): bigint => {
  const pairs = words
    .flatMap((word, one) =>
      others.map((otherWord, other) => ({ one, other, similarity: similarityOf(word, otherWord) })),
    )
    .toSorted((a, b) => (b.similarity > a.similarity ? 1 : b.similarity < a.similarity ? -1 : 0));
  const [pairedWords, pairedOthers] = [new Set<number>(), new Set<number>()];
  let sum = 0n;
  for (const { one, other, similarity } of pairs) {
    if (pairedWords.has(one) || pairedOthers.has(other)) continue;
    pairedWords.add(one);
    pairedOthers.add(other);
    sum += similarity;
  }
  return sum;
};

/**
 * Returns the similarity of two names, from 0 to 100. The order of the words, titles, case, accents and
 * spaces do not matter. An initial or another spelling scores a little less than the same word. Names in
 * different scripts score 0.
 */
export const compareNames = (one: string, other: string): bigint => {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  if (words.length === 0 || others.length === 0) return 0n;
  if (words.join('') === others.join('')) return 100n;
  const count = BigInt(words.length + others.length);
  return divideHalfUp(2n * sumOfPairs(words, others), count);
};
