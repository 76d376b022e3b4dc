/** A person who does not exist, with numbers of the right form and check digit. */
export interface MadeUpPerson {
  readonly fullName: string;
  readonly phone: string;
  readonly pan: string;
  readonly aadhaar: string;
  readonly accountNumber: string;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The operation of the dihedral group D5, five turns and five reflections. */
const combine = (one: number, other: number): number => {
  const [turn, next] = [one % 5, other % 5];
  const sum = one < 5 ? (turn + next) % 5 : (turn - next + 5) % 5;
  return one < 5 === other < 5 ? sum : sum + 5;
};

const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

const permute = (digit: number, times: number): number =>
  times === 0 ? digit : permute(permutation[digit] ?? 0, times - 1);

const remainderOf = (text: string): number =>
  Array.from(text)
    .toReversed()
    .reduce((sum, digit, place) => combine(sum, permute(Number(digit), place % 8)), 0);

/** Appends the check digit of Verhoeff's algorithm. */
export const withCheckDigit = (digits: string): string => {
  const all = Array.from('0123456789', (digit) => digits + digit);
  return all.find((text) => remainderOf(text) === 0) ?? '';
};

/** Makes up a person. `random` returns a number from 0 to below 1. */
export const makeUpPerson = (random: () => number): MadeUpPerson => {
  const draw = (count: number, from: string): string =>
    Array.from({ length: count }, () => from.charAt(Math.floor(random() * from.length))).join('');
  const digits = (count: number): string => draw(count, '0123456789');
  return {
    fullName: 'Asha Rao',
    // The sandbox leaves out optional fields for numbers that end in 55, so the number ends in 1.
    phone: `+919${digits(8)}1`,
    pan: `${draw(3, letters)}P${draw(1, letters)}${digits(4)}${draw(1, letters)}`,
    aadhaar: withCheckDigit(`${draw(1, '23456789')}${digits(10)}`),
    // At the sandbox, payouts to an account with this end succeed.
    accountNumber: `${digits(10)}4321`,
  };
};
