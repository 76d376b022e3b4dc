import { hasVerhoeffCheckDigit } from '../../src/modules/kyc/verhoeff.ts';
import type { Random } from '../../src/platform/ids/random.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Numbers of a person who does not exist, each with its own form and check digit. */
export interface MadeUpNumbers {
  readonly phone: string;
  readonly pan: string;
  readonly aadhaar: string;
  readonly accountNumber: string;
  /** The address that the person's requests come from, for the rate limits. */
  readonly ip: string;
}

/** Draws the numbers of a new person. */
export const makeUpNumbers = (random: Random): MadeUpNumbers => {
  const draw = (count: number): string =>
    Array.from({ length: count }, () => letters.charAt(random.int(letters.length))).join('');
  const eleven = `${2 + random.int(8)}${random.digits(10)}`;
  const check =
    Array.from('0123456789').find((digit) => hasVerhoeffCheckDigit(eleven + digit)) ?? '';
  return {
    // The sandbox leaves out optional fields for numbers that end in 55, so the number ends in 1.
    phone: `+919${random.digits(8)}1`,
    // The fourth letter of a person's PAN is P.
    pan: `${draw(3)}P${draw(1)}${random.digits(4)}${draw(1)}`,
    aadhaar: eleven + check,
    // At the sandbox, the end of an account number can make its payouts fail. With this end they
    // succeed.
    accountNumber: `${random.digits(10)}4321`,
    ip: `10.${random.int(256)}.${random.int(256)}.${1 + random.int(254)}`,
  };
};
