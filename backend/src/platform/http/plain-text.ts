import { z } from 'zod';

/** Accepts text of 1 to `maxLength` characters that `forbidden` does not match, and trims it. */
const plain = (maxLength: number, forbidden: RegExp) =>
  z
    .string('must be text')
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !forbidden.test(value), 'must not contain control characters')
    .transform((value) => value.trim())
    .pipe(z.string().min(1, 'must not be empty'));

/**
 * Accepts one line of text. Refused are control characters, line and paragraph separators, and
 * the characters that turn the direction of what follows, which would show a person something else
 * than is stored; those that join letters stay, because Indian scripts need them.
 */
export const plainLine = (maxLength: number) =>
  plain(maxLength, /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);

/** Accepts text in which line breaks and tabs may stand. */
export const plainText = (maxLength: number) => plain(maxLength, /(?![\t\n\r])[\p{Cc}\p{Cs}]/u);
