import { expect } from 'vitest';
import { createCaller, type CallResponse } from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { errorCode, type OpenIdentity } from './open-identity.ts';

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

interface SessionView {
  readonly id: string;
  readonly deviceId: string;
  readonly deviceName: string | null;
  readonly current: boolean;
}

/** Lists the sessions that a customer sees. Fails if the list is refused. */
export const sessionsOf = async (
  identity: OpenIdentity,
  { accessToken }: Tokens,
  query = '',
): Promise<SessionView[]> => {
  const told = await identity.as(accessToken)('GET', `/auth/sessions${query}`);
  expect(told.status).toBe(200);
  return told.body['items'] as SessionView[]; // checked against the declared schema by the kernel
};

/** Makes a caller without a session, behind this address. */
export const callFrom = (identity: OpenIdentity, ip: string) =>
  createCaller(identity.url, { 'x-forwarded-for': ip });

/** Returns `ok` for a success, the error's code for a refusal. */
export const okOrCode = (answer: CallResponse): string =>
  answer.status === 200 ? 'ok' : String(errorCode(answer));

/** Reads a metric by the labels that its line contains. */
export const metricOf = async (identity: OpenIdentity, labels: string): Promise<number> => {
  const line = (await identity.metrics()).split('\n').find((each) => each.includes(labels));
  return Number(line?.split(' ').at(-1));
};

/** Returns a code that is not this one. */
export const otherCode = (code: string): string => (code === '000000' ? '111111' : '000000');
