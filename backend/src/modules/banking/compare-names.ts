import { divideHalfUp } from '../../money/index.ts';

/** Titles that a bank writes before a name, or a customer leaves out. */
const titles: ReadonlySet<string> = new Set(
  'DR KUM KUMAR KUMARI MASTER MISS MR MRS MS PROF SHRI SMT SRI'.split(' '),
);

const wordsOf = (name: string): readonly string[] => {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const named = words.filter((word) => !titles.has(word));
  return named.length > 0 ? named : words;
};

/** Returns the number of letters to add, leave out or replace to make one word the other. */
const countEdits = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(one).entries()) {
    const row = [index + 1];
    for (const [column, against] of Array.from(other).entries()) {
      const replaced = (above[column] ?? 0) + (letter === against ? 0 : 1);
      row.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (row[column] ?? 0) + 1));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
};

/**
 * The likeness, out of 100, from which two words count as spellings of the same name, such as VERMA
 * and VARMA.
 */
const leastLikeness = 75n;
/** The score, out of 100, of an initial for the word that it may abbreviate. */
const initialWorth = 80n;

/** Scores from 0 to 100 how well two words may be one. */
const likenessOf = (one: string, other: string): bigint => {
  if (one === other) return 100n;
  const isInitial = one.length === 1 || other.length === 1;
  if (isInitial) return one[0] === other[0] ? initialWorth : 0n;
  const letters = Math.max(one.length, other.length);
  const same = letters - countEdits(one, other);
  const likeness = divideHalfUp(BigInt(100 * same), BigInt(letters));
  return likeness < leastLikeness ? 0n : likeness;
};

/** Pairs the words that are most alike first, and adds up how alike the pairs are. */
const addPairs = (words: readonly string[], others: readonly string[]): bigint => {
  const pairs = words
    .flatMap((word, one) =>
      others.map((against, other) => ({ one, other, likeness: likenessOf(word, against) })),
    )
    .toSorted((a, b) => (b.likeness > a.likeness ? 1 : b.likeness < a.likeness ? -1 : 0));
  const [taken, takenOthers] = [new Set<number>(), new Set<number>()];
  let sum = 0n;
  for (const { one, other, likeness } of pairs) {
    if (taken.has(one) || takenOthers.has(other)) continue;
    taken.add(one);
    takenOthers.add(other);
    sum += likeness;
  }
  return sum;
};

/**
 * Scores from 0 to 100 how well two names may be of one person. The order of the words, titles,
 * case, accents and blanks do not matter. An initial and another spelling count a little less than
 * the word. A name in another script has nothing in common with one in Latin letters.
 */
export const compareNames = (one: string, other: string): bigint => {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  if (words.length === 0 || others.length === 0) return 0n;
  if (words.join('') === others.join('')) return 100n;
  const count = BigInt(words.length + others.length);
  return divideHalfUp(2n * addPairs(words, others), count);
};
