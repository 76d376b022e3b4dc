import { readPhone } from '../identity/index.ts';

/** What a search looks for; a customer is found by any of these. */
export interface UserSearch {
  readonly id: string | undefined;
  /** E.164. */
  readonly phone: string | undefined;
  /** A `LIKE` pattern for folded names and emails. */
  readonly pattern: string;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
/** Fewer letters make no trigram of their own: they are looked for at the beginning alone. */
const shortest = 3;

/** Folds text as the index does: compatibility forms and capitals are the same letters. */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Makes the characters that mean something in a pattern stand for themselves. */
const escapePattern = (text: string): string => text.replaceAll(/[\\%_]/gu, String.raw`\$&`);

/**
 * Reads what an operator typed: an id, a phone in any usual spelling, or a part of a name or email;
 * of one or two characters, the beginning of it.
 */
export const readUserSearch = (typed: string): UserSearch => {
  const folded = foldText(typed.trim());
  const escaped = escapePattern(folded);
  const isShort = Array.from(folded).length < shortest;
  return {
    id: uuid.test(folded) ? folded : undefined,
    phone: readPhone(folded),
    pattern: isShort ? `${escaped}%` : `%${escaped}%`,
  };
};
