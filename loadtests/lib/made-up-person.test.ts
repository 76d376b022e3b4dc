import { expect, it } from 'vitest';
import { makeUpPerson, withCheckDigit } from './made-up-person.ts';

it.each([
  ['236', '2363'],
  ['12345', '123451'],
  ['23412341234', '234123412346'],
])('appends to %s the check digit of Verhoeff', (digits, whole) => {
  expect(withCheckDigit(digits)).toBe(whole);
});

it('makes up numbers of the right form', () => {
  let turn = 0;
  const person = makeUpPerson(() => (turn++ * 0.37) % 1);
  expect(person).toMatchObject({
    phone: expect.stringMatching(/^\+919\d{8}1$/u),
    pan: expect.stringMatching(/^[A-Z]{3}P[A-Z]\d{4}[A-Z]$/u),
    aadhaar: expect.stringMatching(/^[2-9]\d{11}$/u),
    accountNumber: expect.stringMatching(/^\d{10}4321$/u),
  });
});
