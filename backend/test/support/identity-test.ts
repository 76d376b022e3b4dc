import { test } from 'vitest';
import { openIdentity, type IdentityOptions } from './open-identity.ts';
import { openedOnce } from './opened-once.ts';

/** Makes the `it` of a file of tests on signing in, on the customer API's own routes. */
export const identityTest = (options: IdentityOptions) =>
  test.extend(
    'identity',
    { scope: 'file' },
    openedOnce(() => openIdentity(options)),
  );
