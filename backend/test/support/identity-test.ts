import { test } from 'vitest';
import { openIdentity, type IdentityOptions } from './open-identity.ts';
import { openedOnce } from './opened-once.ts';

let phones = 0;

/** Returns the phone of a customer who has not signed up. */
export const newPhone = (): string => {
  phones += 1;
  return `+9175000${String(phones).padStart(5, '0')}`;
};

/** Makes the `it` of a file of tests on signing in, on the customer API's own routes. */
export const identityTest = (options: IdentityOptions) =>
  test.extend(
    'identity',
    { scope: 'file' },
    openedOnce(() => openIdentity(options)),
  );
