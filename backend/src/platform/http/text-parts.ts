import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** Control characters, separators of lines, and all that turns the direction of a text. */
const hiddenInLine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/u;

/** The same but for the blanks and line breaks that several lines have. */
const hiddenInText = /(?![\t\n\r\u0085])[\p{Cc}\p{Cs}\p{Bidi_C}]/u;

/** Characters that no reader sees. Those that join letters or choose their form are judged apart. */
const invisible = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{DI}/u;

/**
 * A joiner that joins nothing. Indian scripts and Arabic need joiners for some letters, and emoji
 * are built with them. Between other letters they only make two names look the same.
 */
const strayJoiner = new RegExp(
  `(?<![${['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Knda', 'Mlym', 'Orya', 'Sinh', 'Taml', 'Telu']
    .map((script) => String.raw`\p{scx=${script}}`)
    .join('')}\\p{ExtPict}\\p{EMod}\\ufe0f])[\\u200c\\u200d]`,
  'u',
);

/** The blank of Braille is a symbol to Unicode, and nothing to a reader. */
const blanks = /[\p{Zs}\u2800]+/gu;

const seen = /(?![\p{DI}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

const hiddenMessage =
  'must not contain control characters or characters that turn the direction of text';

const tooLong = (maxLength: number): string => `must have at most ${maxLength} characters`;

const bounded = (maxLength: number) =>
  z.string('must be text').min(1, 'must not be empty').max(maxLength, tooLong(maxLength));

/** Makes each run of blanks one, and none at either end. */
export const withSingleBlanks = (text: string): string => text.replaceAll(blanks, ' ').trim();

/** Converts every kind of line break, and a tab, to the stored form. */
const withPlainBreaks = (text: string): string =>
  text
    .replaceAll(/\r\n|[\r\u0085\u2028\u2029]/gu, '\n')
    .replaceAll('\t', '    ')
    .trim();

// No patterns: generators of clients in other languages refuse Unicode property classes.
const line = (maxLength: number) =>
  bounded(maxLength)
    .refine((text) => !hiddenInLine.test(text), hiddenMessage)
    .transform(withSingleBlanks);

/**
 * Accepts one line of text in which something is to be seen. Control characters, line separators
 * and what turns the direction of text are refused, since they would show a person something else
 * than is stored. Runs of blanks are stored as one (contract: conventions > Text).
 */
export const plainLine = (maxLength: number) =>
  line(maxLength).refine((text) => seen.test(text), 'must not be empty');

/**
 * Accepts the name of a person, a place or a product: a line with at least one letter, in which
 * nothing is invisible. Joiners hold where their script has them.
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

/** Accepts text of several lines, with the same characters refused but for line breaks and tabs. */
export const plainText = (maxLength: number) =>
  bounded(maxLength)
    .refine((text) => !hiddenInText.test(text), hiddenMessage)
    .transform(withPlainBreaks)
    .refine((text) => text.length <= maxLength, tooLong(maxLength))
    .refine((text) => seen.test(text), 'must not be empty');

const maxEmailLength = 254;

/** Of ASCII, with a last part of letters or in the encoded form of an international one. */
const emailPattern =
  /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/u;

/** The characters of an international domain: letters, marks and digits, never a part of a URL. */
const internationalDomain = /^(?:[\p{L}\p{M}\p{N}.\u3002-]|\u200c|\u200d)+$/u;

/**
 * Returns an e-mail address in its one spelling: lower case, an international domain in the
 * encoded form that every mail server and vendor reads. Other text stays as it is.
 */
export const canonicalEmail = (text: string): string => {
  const folded = text.trim().toLowerCase();
  const at = folded.lastIndexOf('@');
  const domain = folded.slice(at + 1);
  if (/^[\0-\x7f]*$/u.test(domain) || !internationalDomain.test(domain)) return folded;
  const encoded = domainToASCII(domain);
  return encoded === '' ? folded : folded.slice(0, at + 1) + encoded;
};

/** Accepts an e-mail address, as `canonicalEmail` spells it. */
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
