import { expect } from 'vitest';
import type { CallResponse } from '../../src/apps/sandbox/testing/open-sandbox.ts';
import type { OpenIdentity } from './open-identity.ts';

/** A signed-in device's pair of tokens. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Returns the pair of an answer that signed in or refreshed. Fails for any other. */
export const tokensOf = (told: CallResponse): Tokens => {
  expect(told.status).toBe(200);
  return {
    accessToken: String(told.body['accessToken']),
    refreshToken: String(told.body['refreshToken']),
  };
};

/** Signs in by a one-time code. */
export const signIn = async (
  identity: OpenIdentity,
  phone: string,
  device: object = {},
): Promise<Tokens> => tokensOf(await identity.signIn(phone, device));

export const refresh = (identity: OpenIdentity, refreshToken: string): Promise<CallResponse> =>
  identity.as()('POST', '/auth/refresh', { refreshToken });

/** Returns the status that a token's own profile answers: 401 once its session has ended. */
export const me = async (identity: OpenIdentity, accessToken: string): Promise<number> =>
  (await identity.as(accessToken)('GET', '/users/me')).status;
