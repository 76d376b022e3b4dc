/**
 * Returns the bytes of a base64 text, or undefined if the text is not base64. Line breaks and
 * blanks are skipped, since many encoders break lines. Any other character outside the alphabet
 * makes the text invalid. `Buffer` alone would skip such a character.
 */
export const readBase64 = (text: string): Buffer | undefined => {
  const plain = text.replaceAll(/\s/gu, '');
  // The last group of four may lack its padding.
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(plain)) return undefined;
  if (plain.replaceAll('=', '').length % 4 === 1) return undefined;
  return Buffer.from(plain, 'base64');
};
