/** The minimum length of a secret. A shorter secret may be a common word such as `test`. */
const minLength = 6;

/** Returns the base64 forms of a text at each of the three positions within a longer base64 text. */
const inBase64 = (text: string): string[] => {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The first and the last characters also depend on the neighbouring bytes.
    const whole = shifted.slice(
      shift === 0 ? 0 : 4,
      (shift + bytes.length) % 3 === 0 ? undefined : -4,
    );
    return whole.length < minLength ? [] : [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
};

const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  ...inBase64(secret),
];

/** Patterns of secrets and personal data, with their replacements. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/gu, '(a token)'],
  [/(?<scheme>Bearer|Basic) [\w.~+/=-]{6,}/gu, '$<scheme> (a secret)'],
  [/(?<start>\w+:\/\/[^\s:/@"]*):[^\s@"]+@/gu, '$<start>:(a password)@'],
  // Keys and peppers have this form, which is 32 bytes in base64.
  [/(?<![\w+/])[\w+/-]{43}=/gu, '(a key)'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu, '(an email address)'],
  [/(?<![\w.])\+91[ -]?[6-9]\d{9}(?!\d)/gu, '(a phone)'],
  [/(?<![\w.-])[6-9]\d{9}(?![\w.-])/gu, '(a phone)'],
  [/(?<![A-Z0-9])[A-Z]{5}\d{4}[A-Z](?![A-Z0-9])/gu, '(a PAN)'],
  [/(?<![\w.-])[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}(?![\w.-])/gu, '(an Aadhaar)'],
];

/**
 * Creates the function that removes secrets and personal data from a text. It replaces the known
 * secrets, in clear text and in base64, and all texts that have the form of a secret.
 */
export const createRedactor = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = [...new Set(secrets.filter(({ length }) => length >= minLength).flatMap(formsOf))]
    // A longer form is replaced first, since it may contain a shorter form.
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const withoutKnown = forms.reduce((kept, form) => kept.replaceAll(form, '(a secret)'), text);
    return patterns.reduce(
      (kept, [pattern, replacement]) => kept.replaceAll(pattern, replacement),
      withoutKnown,
    );
  };
};
