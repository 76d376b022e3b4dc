interface Scrub {
  readonly pattern: RegExp;
  readonly replacement: string;
}

// A bare number right after `":` is a JSON number, such as an amount; replacing it would break
// the line, and no personal number is ever kept as one.
const notJsonNumber = '(?<!":)(?<![\\w.,\\[-])';

const scrubs: readonly Scrub[] = [
  { pattern: /\beyJ[\w-]+\.[\w-]+\.[\w-]*/gu, replacement: '[token]' },
  { pattern: /\bBearer\s+[\w.~+/=-]+/giu, replacement: 'Bearer [token]' },
  { pattern: /(?<=:\/\/)[^\s/"@:]*:[^\s/"@]+@/gu, replacement: '[credentials]@' },
  { pattern: /[\w.+-]+@[\w-]+\.[\w.-]+\w/gu, replacement: '[email]' },
  { pattern: /(?:\+|\b00|%2B)91[\s-]?[6-9]\d{4}[\s-]?\d{5}(?!\d)/giu, replacement: '[phone]' },
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
 * The last line of defence: takes out of a text (a message, a whole log line) whatever looks like
 * a token, a credential in an address, an email, a phone, a PAN or an Aadhaar number. What is
 * known by its key is taken out before, by `redactKeys`.
 */
export const scrubText = (text: string): string => {
  let scrubbed = text;
  for (const { pattern, replacement } of scrubs) scrubbed = scrubbed.replace(pattern, replacement);
  return scrubbed;
};
