import { createTokenSigner } from '../../src/platform/auth/jwt.ts';
import { developmentAdmins, developmentPortalUsers } from '../../dev/stack/development-accounts.ts';
import { publishedSecrets } from '../../dev/stack/environment.ts';
import { createCaller, type UntypedAnswer } from '../support/caller.ts';
import type { SimulatedSystem } from './system/open-system.ts';

type Role = keyof typeof developmentAdmins;

/** The calls of the people who are signed in. An expired token is renewed. */
export interface Sessions {
  /** Signs a customer up or in with a code, and returns the answer of the last call. */
  signIn(phone: string): Promise<UntypedAnswer>;
  customer(phone: string, method: string, path: string, body?: unknown): Promise<UntypedAnswer>;
  operator(role: Role, method: string, path: string, body?: unknown): Promise<UntypedAnswer>;
  accountant(method: string, path: string, body?: unknown): Promise<UntypedAnswer>;
  anybody(method: string, path: string, body?: unknown): Promise<UntypedAnswer>;
  /** Delivers a webhook as it was sent. */
  deliver(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<UntypedAnswer>;
  codeFor(phone: string): Promise<string>;
  /** Lets a customer sign in again after the end of a block. */
  reopen(phone: string): void;
}

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

const shiftSeconds = 8 * 3600;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Keeps the tokens of a story's people. */
export const createSessions = (system: SimulatedSystem): Sessions => {
  const tokensOf = new Map<string, Tokens>();
  /**
   * The phones of blocked or deleted accounts. They do not sign in again, since each try would use
   * one of the few codes.
   */
  const shut = new Set<string>();
  const operators = new Map<Role, { readonly id: string; token: string }>();
  const signer = createTokenSigner({ secret: publishedSecrets.jwtSecret, clock: system.clock });
  let portalToken = '';
  let calls = 0;

  /**
   * Creates a caller with another address for each call, since the limits of an address are on real
   * time.
   */
  const at = (api: 'customer' | 'admin' | 'accounting', headers: Record<string, string> = {}) => {
    calls += 1;
    const address = `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`;
    const replicas = system.processes().urls[api];
    const url = replicas[calls % replicas.length] ?? '';
    return createCaller(url, { ...headers, 'x-forwarded-for': address });
  };

  const codeFor = async (phone: string): Promise<string> => {
    const path = `/sms?phone=${encodeURIComponent(phone)}`;
    const { body } = await system.control('GET', path);
    return String(body.messages[0]?.otp ?? '');
  };

  const signIn = async (phone: string): Promise<UntypedAnswer> => {
    const sent = await at('customer')('POST', '/v1/auth/send-otp', { phone });
    if (sent.status !== 200) return sent;
    const body = { phone, otp: await codeFor(phone), deviceId: `device-of-${phone.slice(1)}` };
    const answer = await at('customer')('POST', '/v1/auth/verify-otp', body);
    if (answer.status === 200) keep(phone, answer);
    return answer;
  };
  const keep = (phone: string, { body }: UntypedAnswer): void => {
    tokensOf.set(phone, { access: body.accessToken, refresh: body.refreshToken });
  };
  const renew = async (phone: string): Promise<UntypedAnswer> => {
    const refreshToken = tokensOf.get(phone)?.refresh;
    const answer = await at('customer')('POST', '/v1/auth/refresh', { refreshToken });
    if (answer.status !== 200) return signIn(phone);
    keep(phone, answer);
    return answer;
  };

  /**
   * Running renewals. Two calls of a person at the same time renew once, since a refresh token can
   * be used once.
   */
  const renewing = new Map<string, Promise<UntypedAnswer>>();
  const renewOnce = (phone: string, lapsed: string): Promise<UntypedAnswer> | undefined => {
    if ((tokensOf.get(phone)?.access ?? '') !== lapsed) return undefined;
    const known = renewing.get(phone) ?? renew(phone).finally(() => renewing.delete(phone));
    renewing.set(phone, known);
    return known;
  };

  const operatorToken = async (role: Role): Promise<string> => {
    const known = operators.get(role);
    if (known !== undefined) return known.token;
    const answer: UntypedAnswer = await at('admin')(
      'POST',
      '/v1/auth/login',
      developmentAdmins[role],
    );
    if (answer.status !== 200) throw new Error(`operator: ${JSON.stringify(answer.body)}`);
    const made = { id: String(answer.body.admin.id), token: String(answer.body.accessToken) };
    operators.set(role, made);
    return made.token;
  };
  const renewOperator = (role: Role): void => {
    const known = operators.get(role);
    if (known === undefined) return;
    // This does the same as the sign-in, but without hashing the password, which takes longer than
    // ten steps.
    const claims = { sub: known.id, email: developmentAdmins[role].email, role };
    known.token = signer.sign(claims, shiftSeconds);
  };

  const signInAccountant = async (): Promise<void> => {
    const account = developmentPortalUsers.super_admin;
    const answer: UntypedAnswer = await at('accounting')(
      'POST',
      '/api/v1/accounting/auth/login',
      account,
    );
    portalToken = String(answer.body.token);
  };

  return {
    signIn,
    codeFor,
    reopen: (phone) => void shut.delete(phone),
    async customer(phone, method, path, body) {
      const accessOf = () => tokensOf.get(phone)?.access ?? '';
      const call = () => at('customer', bearer(accessOf()))(method, path, body);
      const used = accessOf();
      const answer = await call();
      if (answer.status !== 401 || shut.has(phone)) return answer;
      const renewed = await renewOnce(phone, used);
      if (renewed === undefined || renewed.status === 200) return call();
      if (renewed.status !== 401) return renewed;
      shut.add(phone);
      return answer;
    },
    async operator(role, method, path, body) {
      const call = async () => at('admin', bearer(await operatorToken(role)))(method, path, body);
      const answer = await call();
      if (answer.status !== 401) return answer;
      renewOperator(role);
      return call();
    },
    async accountant(method, path, body) {
      const call = () => at('accounting', { 'x-portal-token': portalToken })(method, path, body);
      const answer = await call();
      if (answer.status !== 401) return answer;
      await signInAccountant();
      return call();
    },
    anybody: (method, path, body) => at('customer')(method, path, body),
    deliver: (path, headers, body) => at('customer', { ...headers })('POST', path, body),
  };
};
