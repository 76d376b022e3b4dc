import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { SearchTerms } from './catalogue.store.ts';

const maxWords = 8;
const maxWordLength = 40;
/** A shorter word is not corrected, since it is similar to too many others. */
const minMistypedLength = 3;

/** Returns the distinct words of a search in lower case. Words consist of letters and digits. */
const wordsOf = (text: string): readonly string[] => {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length <= maxWordLength).slice(0, maxWords);
};

interface LookedUpWord {
  readonly word: string;
  /** True if a word of the catalogue begins with it. */
  readonly known: boolean;
  /** The words of the catalogue that an unknown word may stand for. */
  readonly corrections: readonly string[];
}

/** Limits the corrections of a word. */
const maxCorrections = 8;

/**
 * Looks words up among the words of the catalogue, and finds corrections of unknown words by
 * indexes. Words with one letter added, left out, swapped or replaced come first. Words that share
 * many trigrams follow.
 */
const lookUp = (db: Db, words: readonly string[]): Promise<LookedUpWord[]> =>
  selectRows<LookedUpWord>(
    db,
    sql`
      SELECT asked.word, asked.known, coalesce(array_agg(near.word ORDER BY near.place)
        FILTER (WHERE near.word IS NOT NULL), '{}') AS corrections
      FROM (
        SELECT word, place,
          EXISTS (SELECT FROM product_word k WHERE k.word LIKE given.word || '%') AS known
        FROM unnest(${[...words]}::text[]) WITH ORDINALITY AS given (word, place)
      ) AS asked
      LEFT JOIN LATERAL (
        SELECT c.word, row_number() OVER (ORDER BY
          (c.variants && word_variants(asked.word)) DESC,
          similarity(c.word, asked.word) DESC, c.word) AS place
        FROM product_word c
        WHERE NOT asked.known AND length(asked.word) >= ${minMistypedLength}::int
          AND (c.word % asked.word OR c.variants && word_variants(asked.word))
        ORDER BY place LIMIT ${maxCorrections}::int
      ) AS near ON true
      GROUP BY asked.word, asked.known, asked.place
      ORDER BY asked.place`,
  );

/** Searches a word of three letters or more as a prefix, so that `neck` finds necklaces. */
const prefixOf = (word: string): string => (word.length >= minMistypedLength ? `${word}:*` : word);

/**
 * Returns the term that searches a word or its corrections. A corrected word also matches itself,
 * since operators search products that are no longer on sale.
 */
const termOf = ({ word, known, corrections }: LookedUpWord): string =>
  known || corrections.length === 0 ? prefixOf(word) : `(${[word, ...corrections].join(' | ')})`;

/**
 * Makes the search terms of a text, with corrections of mistyped words. `all` finds products with
 * every word, and `any` finds products with at least one. Returns undefined if the text has no word.
 */
export const correctSpelling = async (
  db: Db,
  text: string,
): Promise<{ readonly all: SearchTerms; readonly any: SearchTerms } | undefined> => {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const terms = (await lookUp(db, words)).map(termOf);
  return {
    all: { corrected: terms.join(' & '), typed: words.join(' & ') },
    any: { corrected: terms.join(' | '), typed: words.join(' | ') },
  };
};
