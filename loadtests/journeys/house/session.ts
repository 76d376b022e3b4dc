import type { House } from './ask.ts';
import type { Customer } from './open-account.ts';

/** A customer's session, which lasts as long as the run. */
export interface Session {
  /** Returns the access token, a new one where the last is about to lapse. */
  accessToken(house: House): string;
}

/** Renewed before the fifteen minutes of an access token are over. */
const renewAfterMs = 10 * 60_000;

/** Creates the session of somebody who has just signed in. */
export const createSession = (
  customer: Pick<Customer, 'accessToken' | 'refreshToken' | 'signedInAtMs'>,
  now: () => number,
): Session => {
  let { accessToken, refreshToken } = customer;
  let renewedAtMs = customer.signedInAtMs;
  return {
    accessToken(house) {
      if (now() - renewedAtMs > renewAfterMs) {
        const body = { refreshToken };
        const renewed = house.ask({
          api: 'customer',
          method: 'POST',
          route: '/v1/auth/refresh',
          body,
        });
        accessToken = String(renewed['accessToken']);
        refreshToken = String(renewed['refreshToken']);
        renewedAtMs = now();
      }
      return accessToken;
    },
  };
};
