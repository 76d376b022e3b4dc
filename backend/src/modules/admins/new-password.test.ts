import { expect, it } from 'vitest';
import { newPasswordSchema } from './admins.schemas.ts';

const isTaken = (password: string): boolean => newPasswordSchema.safeParse(password).success;

it('a new password has 12 to 128 characters, and a run of spaces counts as one', () => {
  expect(['x'.repeat(11), 'x'.repeat(12), 'x'.repeat(128), 'x'.repeat(129)].map(isTaken)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(isTaken(' '.repeat(20))).toBe(false);
  expect(isTaken(`pass${' '.repeat(20)}word`)).toBe(false);
  expect(isTaken('two words more')).toBe(true);
});

it('a new password may have any characters, and each counts once', () => {
  expect(isTaken('आ भारत सोना घर है')).toBe(true);
  expect(isTaken('🥇🥇🥇🥇🥇🥇')).toBe(false);
  expect(isTaken('🥇'.repeat(12))).toBe(true);
  expect(isTaken('all lower case')).toBe(true);
});

it('a new password is not changed', () => {
  expect(newPasswordSchema.parse('  two  words  here ')).toBe('  two  words  here ');
});
