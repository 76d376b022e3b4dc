import { domainToASCII } from 'node:url';
import { z } from 'zod';

/**
 * Matches control characters, separators of lines, and characters that change the direction of
 * text.
 */
const hiddenInLine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/u;

/** Matches the same characters, except for tabs and line breaks. */
const hiddenInText = /(?![\t\n\r\u0085])[\p{Cc}\p{Cs}\p{Bidi_C}]/u;

/**
 * Matches characters that no reader sees. Characters that join letters or choose their form have
 * rules of their own.
 */
const invisible = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{DI}/u;

/**
 * Matches a joiner that joins nothing. Indian scripts and Arabic need joiners for some letters, and
 * emoji are built with joiners. Between other letters they only make two names look the same.
 */
const strayJoiner = new RegExp(
  `(?<![${['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya', 'Sinh', 'Taml', 'Telu']
    .map((script) => String.raw`\p{scx=${script}}`)
    .join('')}\\p{ExtPict}\\p{EMod}\\ufe0f])[\\u200c\\u200d]`,
  'u',
);

/** Matches blanks. Unicode counts the blank of Braille as a symbol, but a reader sees nothing. */
const blanks = /[\p{Zs}\u2800]+/gu;

const visible = /(?![\p{DI}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

const hiddenMessage =
  'must not contain control characters or characters that turn the direction of text';

const tooLong = (maxLength: number): string => `must have at most ${maxLength} characters`;

const bounded = (maxLength: number) =>
  z.string('must be text').min(1, 'must not be empty').max(maxLength, tooLong(maxLength));

/** Replaces each run of blanks by one blank, and removes blanks at both ends. */
export const withSingleBlanks = (text: string): string => text.replaceAll(blanks, ' ').trim();

/** Converts every kind of line break, and a tab, to the stored form. */
const withPlainBreaks = (text: string): string =>
  text
    .replaceAll(/\r\n|[\r\u0085\u2028\u2029]/gu, '\n')
    .replaceAll('\t', '    ')
    .trim();

// These are refinements, not patterns, since client generators of other languages refuse Unicode
// property classes.
const line = (maxLength: number) =>
  bounded(maxLength)
    .refine((text) => !hiddenInLine.test(text), hiddenMessage)
    .transform(withSingleBlanks);

/**
 * Accepts one line of text with at least one visible character. Control characters, line separators
 * and characters that change the direction of text are refused, since a person would see a text
 * other than the stored one. Runs of blanks are stored as one (contract: conventions > Text).
 */
export const plainLine = (maxLength: number) =>
  line(maxLength).refine((text) => visible.test(text), 'must not be empty');

/**
 * Accepts the name of a person, a place or a product: a line with at least one letter and without
 * invisible characters. Joiners are allowed in scripts that need them.
 */
export const plainName = (maxLength: number) =>
  line(maxLength)
    .refine(
      (text) => !invisible.test(text) && !strayJoiner.test(text),
      'must not contain characters that cannot be seen',
    )
    .refine((text) => /\p{L}/u.test(text), 'must have at least one letter');

/** Accepts a text that is compared exactly, an id or a token. It has no hidden characters. */
export const opaqueText = (maxLength: number) =>
  bounded(maxLength).refine(
    (text) => !hiddenInLine.test(text) && !/\p{DI}/u.test(text),
    'must not contain characters that cannot be seen',
  );

/** Accepts text of several lines. Refuses the same characters, except for line breaks and tabs. */
export const plainText = (maxLength: number) =>
  bounded(maxLength)
    .refine((text) => !hiddenInText.test(text), hiddenMessage)
    .transform(withPlainBreaks)
    .refine((text) => text.length <= maxLength, tooLong(maxLength))
    .refine((text) => visible.test(text), 'must not be empty');

const maxEmailLength = 254;

/**
 * Matches an address of ASCII characters whose last part has only letters or is an encoded
 * international one.
 */
const emailPattern =
  /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/u;

/** The characters of an international domain: letters, marks and digits, never a part of a URL. */
const internationalDomain = /^(?:[\p{L}\p{M}\p{N}.\u3002-]|\u200c|\u200d)+$/u;

/**
 * Returns an email address in its canonical spelling. It is in lower case, with an international
 * domain in the encoded form that every mail server and vendor can read. Any other text is only
 * trimmed and put into lower case.
 */
export const canonicalEmail = (text: string): string => {
  const folded = text.trim().toLowerCase();
  const separator = folded.lastIndexOf('@');
  const domain = folded.slice(separator + 1);
  if (/^[\0-\x7f]*$/u.test(domain) || !internationalDomain.test(domain)) return folded;
  const encoded = domainToASCII(domain);
  return encoded === '' ? folded : folded.slice(0, separator + 1) + encoded;
};

/** Accepts an email address, and converts it with `canonicalEmail`. */
export const emailText = z
  .string('must be text')
  .max(maxEmailLength, tooLong(maxEmailLength))
  .transform(canonicalEmail)
  .pipe(
    z
      .string()
      .max(maxEmailLength, tooLong(maxEmailLength))
      .regex(emailPattern, 'must be an email address'),
  );
