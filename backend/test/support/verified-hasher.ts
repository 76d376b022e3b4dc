import type { SecretHasher } from '../../src/platform/crypto/index.ts';

/** Returns a hasher that runs `then` between the verification of a password and what follows it. */
export const hasherWithVerified = (
  real: SecretHasher,
  then: () => Promise<unknown>,
): SecretHasher => ({
  ...real,
  checkInTurn: (caller, check) =>
    real.checkInTurn(caller, (verify) =>
      check(async (secret, hash) => {
        const matches = await verify(secret, hash);
        await then();
        return matches;
      }),
    ),
});
