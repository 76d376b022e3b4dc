/** Shorter ones are words: `admin`, `test`. */
const leastLength = 6;

/** A line break or a padding may end it, and three bytes are four characters. */
const inBase64 = (text: string): string[] => {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The first and the last characters also depend on the neighbouring bytes.
    const whole = shifted.slice(
      shift === 0 ? 0 : 4,
      (shift + bytes.length) % 3 === 0 ? undefined : -4,
    );
    return whole.length < leastLength
      ? []
      : [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
};

const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  ...inBase64(secret),
];

/** Patterns of secrets and personal data, with their replacements. */
const looks: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/gu, '(a token)'],
  [/(?<scheme>Bearer|Basic) [\w.~+/=-]{6,}/gu, '$<scheme> (a secret)'],
  [/(?<start>\w+:\/\/[^\s:/@"]*):[^\s@"]+@/gu, '$<start>:(a password)@'],
  // Thirty-two bytes in base64, as keys and peppers are written.
  [/(?<![\w+/])[\w+/-]{43}=/gu, '(a key)'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu, '(an email address)'],
  [/(?<![\w.])\+91[ -]?[6-9]\d{9}(?!\d)/gu, '(a phone)'],
  [/(?<![\w.-])[6-9]\d{9}(?![\w.-])/gu, '(a phone)'],
  [/(?<![A-Z0-9])[A-Z]{5}\d{4}[A-Z](?![A-Z0-9])/gu, '(a PAN)'],
  [/(?<![\w.-])[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}(?![\w.-])/gu, '(an Aadhaar)'],
];

/**
 * Creates the function that removes secrets and people's data from a text. It removes the known
 * secrets, in clear and in base64, and everything that looks like a secret.
 */
export const createRedactor = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = [...new Set(secrets.filter(({ length }) => length >= leastLength).flatMap(formsOf))]
    // A longer one may hold a shorter one.
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const known = forms.reduce((rest, form) => rest.replaceAll(form, '(a secret)'), text);
    return looks.reduce((rest, [look, instead]) => rest.replaceAll(look, instead), known);
  };
};
