/**
 * Returns the bytes that a base64 text spells, or undefined where it spells none. Line breaks and
 * blanks are passed over, since many encoders break lines. Anything else outside the alphabet makes
 * it no base64, where `Buffer` alone would pass over that too.
 */
export const readBase64 = (text: string): Buffer | undefined => {
  const plain = text.replaceAll(/\s/gu, '');
  // Whole groups of four, padded or not.
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(plain)) return undefined;
  if (plain.replaceAll('=', '').length % 4 === 1) return undefined;
  return Buffer.from(plain, 'base64');
};
