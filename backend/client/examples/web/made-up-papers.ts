import { randomInt } from 'node:crypto';

/** The dihedral group's multiplication and the permutation of Verhoeff's check digit. */
const product = [
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
const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4] as const;

const permute = (digit: number, times: number): number => {
  let permuted = digit;
  for (let time = 0; time < times; time += 1) permuted = permutation[permuted] ?? 0;
  return permuted;
};

const isChecked = (digits: string): boolean =>
  Array.from(digits)
    .toReversed()
    .reduce((sum, digit, place) => product[sum]?.[permute(Number(digit), place % 8)] ?? 0, 0) === 0;

const draw = (alphabet: string, count: number): string =>
  Array.from({ length: count }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';

/** A picture of one pixel, in place of a photograph. */
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';

/** Makes up the papers of a person who does not exist, each number with its form. */
export const makeUpPapers = () => {
  const eleven = `${2 + randomInt(8)}${draw(digits, 10)}`;
  const check = Array.from(digits).find((digit) => isChecked(eleven + digit)) ?? '0';
  // The fourth letter of a person's PAN is P.
  const pan = `${draw(letters, 3)}P${draw(letters, 1)}${draw(digits, 4)}${draw(letters, 1)}`;
  return { pan, aadhaar: eleven + check, image };
};
