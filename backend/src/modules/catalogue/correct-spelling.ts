import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { SearchTerms } from './catalogue.store.ts';

const maxWords = 8;
const maxWordLength = 40;
/** A shorter word is near to too many others. */
const minMistypedLength = 3;

/** Returns the words of a search, in lower case, each once: letters, digits and their marks. */
const wordsOf = (text: string): readonly string[] => {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length <= maxWordLength).slice(0, maxWords);
};

interface Known {
  readonly word: string;
  readonly known: boolean;
  readonly near: readonly string[];
}

/** The words of the catalogue that one mistyped word may stand for. */
const maxCorrections = 8;

/**
 * Looks words up among those of the catalogue: whether one is there, or begins one that is, and
 * else what it may have been meant to be: words with one letter added, left out, exchanged or
 * replaced first, then those that share many trigrams. All of it by indexes.
 */
const lookUp = (db: Db, words: readonly string[]): Promise<Known[]> =>
  selectRows<Known>(
    db,
    sql`
      SELECT asked.word, asked.known, coalesce(array_agg(near.word ORDER BY near.place)
        FILTER (WHERE near.word IS NOT NULL), '{}') AS near
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

/** As a prefix from three letters on: who types `neck` finds necklaces. */
const prefixOf = (word: string): string => (word.length >= minMistypedLength ? `${word}:*` : word);

/** An unknown word also matches itself: operators search products that are no longer on sale. */
const meantBy = ({ word, known, near }: Known): string =>
  known || near.length === 0 ? prefixOf(word) : `(${[word, ...near].join(' | ')})`;

/**
 * Turns what was typed into search terms, with mistyped words corrected by the catalogue's own.
 * `all` finds products with every word, `any` those with at least one. Undefined without a word.
 */
export const correctSpelling = async (
  db: Db,
  text: string,
): Promise<{ readonly all: SearchTerms; readonly any: SearchTerms } | undefined> => {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const looked = await lookUp(db, words);
  const meant = looked.map(meantBy);
  return {
    all: { meant: meant.join(' & '), typed: words.join(' & ') },
    any: { meant: meant.join(' | '), typed: words.join(' | ') },
  };
};
