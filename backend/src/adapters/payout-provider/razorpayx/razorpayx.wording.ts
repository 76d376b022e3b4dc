/*
 * Spells names, numbers and narrations as RazorpayX accepts them; pages and marks as in
 * `razorpayx.facts.ts`.
 */

/** contacts/create: such as 9123456789. Unverified: that a number with its country code is taken
 * differently; ten digits, as in the example. */
export const contactNumber = (phone: string): string => phone.replace(/^\+91/, '');

/**
 * contacts/create, fund-accounts/create: a name has 3 to 50 (contact) or 120 (bank account) of
 * letters, digits, space and `'-_/().`, and ends with none of the signs but the dot.
 */
export const nameOf = (name: string, maximum: number): string => {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 '\-_/().]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, maximum)
    .replace(/[ '\-_/()]+$/, '');
  return plain.length < 3 ? `Customer ${plain}`.trim() : plain;
};

export const contactNameLength = 50;
export const holderNameLength = 120;

/** payouts/create/bank-account: at most 30 of letters, digits and space. */
export const narrationOf = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9 ]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, 30);
