import { ApiError } from './api-error.ts';
import { createApiClient, type ApiClient, type ApiClientOptions } from './api-client.ts';
import type { paths } from './generated/customer.ts';

/** The tokens of a sign-in. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Keeps the tokens, for every tab alike, as the browser's `localStorage` does. */
export interface TokenStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Lets one caller in at a time, of every tab. The browser's `navigator.locks` does this. */
export interface TokenLock {
  request<Result>(name: string, act: () => Promise<Result>): Promise<Result>;
}

export interface SessionOptions extends Omit<ApiClientOptions, 'token'> {
  readonly storage: TokenStorage;
  /** `navigator.locks` unless given. Without one, callers of this page alone take turns. */
  readonly lock?: TokenLock;
  /** The name of the entry in the storage, and of the lock. */
  readonly name?: string;
  /** The session has ended: the customer has to sign in again. */
  readonly onEnd?: () => void;
}

/** A customer's session: a client that keeps itself signed in. */
export interface CustomerSession {
  readonly api: ApiClient<paths>;
  /** Undefined if no customer is signed in. */
  tokens(): Tokens | undefined;
  /** Takes over the tokens of a sign-in. */
  begin(tokens: Tokens): void;
  /** Forgets the tokens, of every tab. */
  end(): void;
}

/** Lets callers of one page in, one after another. */
const createPageLock = (): TokenLock => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request<Result>(_name: string, act: () => Promise<Result>): Promise<Result> {
      const turn = last.then(act, act);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
};

const browserLock = (): TokenLock | undefined =>
  (globalThis as { navigator?: { locks?: TokenLock } }).navigator?.locks;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const readTokens = (text: string | null): Tokens | undefined => {
  try {
    const { accessToken, refreshToken } = Object(JSON.parse(text ?? 'null')) as Partial<Tokens>;
    return isText(accessToken) && isText(refreshToken) ? { accessToken, refreshToken } : undefined;
  } catch {
    return undefined;
  }
};

const codeOf = async (response: Response): Promise<unknown> => {
  try {
    return ((await response.clone().json()) as { error?: { code?: unknown } }).error?.code;
  } catch {
    return undefined;
  }
};

const withToken = (request: Request, token: string | undefined): Request => {
  const copy = request.clone();
  if (token !== undefined) copy.headers.set('authorization', `Bearer ${token}`);
  return copy;
};

/**
 * Creates a session whose client sends the access token and, once that has expired, refreshes it. A
 * refresh token can be used once. Refreshes are therefore serialised over all tabs, and a second
 * one uses the tokens that the first has stored.
 */
export const createCustomerSession = (options: SessionOptions): CustomerSession => {
  const { storage, onEnd, name = 'digital-gold-session', fetch: given, ...rest } = options;
  const lock = options.lock ?? browserLock() ?? createPageLock();
  const send = given ?? ((request: Request) => fetch(request));
  const bare = createApiClient<paths>({ ...rest, fetch: send });

  const tokens = (): Tokens | undefined => readTokens(storage.getItem(name));
  const begin = ({ accessToken, refreshToken }: Tokens): void =>
    storage.setItem(name, JSON.stringify({ accessToken, refreshToken }));
  const end = (): void => storage.removeItem(name);

  /** Returns tokens other than the refused tokens, or undefined if the session has ended. */
  const refresh = (refused: string): Promise<Tokens | undefined> =>
    lock.request(name, async () => {
      const held = tokens();
      if (held === undefined || held.accessToken !== refused) return held;
      try {
        const { refreshToken } = held;
        const { body } = await bare.post('/v1/auth/refresh', { body: { refreshToken } });
        begin(body);
        return tokens();
      } catch (error) {
        // Without an answer the old token may be tried once more for 30 s: nothing is forgotten.
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        end();
        onEnd?.();
        return undefined;
      }
    });

  const sendSignedIn = async (request: Request): Promise<Response> => {
    const held = tokens();
    const response = await send(withToken(request, held?.accessToken));
    if (held === undefined || response.status !== 401) return response;
    if ((await codeOf(response)) !== 'UNAUTHENTICATED') return response;
    const renewed = await refresh(held.accessToken);
    return renewed === undefined ? response : send(withToken(request, renewed.accessToken));
  };

  return { api: createApiClient<paths>({ ...rest, fetch: sendSignedIn }), tokens, begin, end };
};
