interface Scrub {
  readonly pattern: RegExp;
  readonly replacement: string;
  /** A text without which nothing can match: much cheaper to look for than the pattern. */
  readonly sign?: string;
}

// A bare number right after `":` is a JSON number, such as an amount; replacing it would break
// the line, and no personal number is ever kept as one.
const notJsonNumber = '(?<!":)(?<![\\w.,\\[-])';

// Every line passes them all. A pattern without regard to case costs ten times as much as one that
// spells both cases out.
const scrubs: readonly Scrub[] = [
  { sign: 'eyJ', pattern: /\beyJ[\w-]+\.[\w-]+\.[\w-]*/gu, replacement: '[token]' },
  { pattern: /\b[Bb][Ee][Aa][Rr][Ee][Rr]\s+[\w.~+/=-]+/gu, replacement: 'Bearer [token]' },
  { sign: '@', pattern: /(?<=:\/\/)[^\s/"@:]*:[^\s/"@]+@/gu, replacement: '[credentials]@' },
  { sign: '@', pattern: /[\w.+-]+@[\w-]+\.[\w.-]+\w/gu, replacement: '[email]' },
  { pattern: /(?:\+|\b00|%2[Bb])91[\s-]?[6-9]\d{4}[\s-]?\d{5}(?!\d)/gu, replacement: '[phone]' },
  { pattern: /\b[A-Z]{5}\d{4}[A-Z]\b/gu, replacement: '[pan]' },
  {
    pattern: new RegExp(`${notJsonNumber}[2-9]\\d{3}[ -]?\\d{4}[ -]?\\d{4}(?!\\w)`, 'gu'),
    replacement: '[aadhaar]',
  },
  {
    pattern: new RegExp(`${notJsonNumber}(?:91)?[6-9]\\d{9}(?!\\w)`, 'gu'),
    replacement: '[phone]',
  },
];

/**
 * Removes, as the last line of defence, from a text (a message, a whole log line) whatever looks
 * like a token, a credential in an address, an email, a phone, a PAN or an Aadhaar number. What is
 * known by its key is taken out before, by `redactKeys`.
 */
export const scrubText = (text: string): string => {
  let scrubbed = text;
  for (const { pattern, replacement, sign } of scrubs) {
    if (sign === undefined || scrubbed.includes(sign)) {
      scrubbed = scrubbed.replace(pattern, replacement);
    }
  }
  return scrubbed;
};
