/** The multiplication table of the dihedral group D5, for J. Verhoeff's check digit (1969). */
const products = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
] as const;

/** Verhoeff's permutation of a digit, by its position from the right modulo 8. */
const permutations = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
  [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
  [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
  [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
  [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
  [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
  [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
] as const;

/** Returns true if the last digit of `digits` is the Verhoeff check digit of the other digits. */
export const hasVerhoeffCheckDigit = (digits: string): boolean => {
  if (!/^\d+$/u.test(digits)) return false;
  const checksum = Array.from(digits)
    .toReversed()
    .map((digit) => digit.charCodeAt(0) - 48)
    .reduce<number>(
      (sum, digit, place) => products[sum]?.[permutations[place % 8]?.[digit] ?? 0] ?? 0,
      0,
    );
  return checksum === 0;
};
