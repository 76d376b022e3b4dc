import { describe, expect, it, vi } from 'vitest';
import {
  ApiUnreachableError,
  createCustomerSession,
  type SessionOptions,
  type TokenStorage,
} from '../src/index.ts';

const refusal = (status: number, code: string): Response =>
  Response.json({ error: { code, message: code, requestId: 'r' } }, { status });

/** An API whose refresh tokens are good once: a used one ends the session, as the real one does. */
const createApi = () => {
  let pair = 1;
  let isEnded = false;
  const refreshes: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname === '/v1/auth/refresh') {
      const { refreshToken } = (await request.json()) as { refreshToken: string };
      refreshes.push(refreshToken);
      if (isEnded || refreshToken !== `refresh-${pair}`) {
        isEnded = true;
        return refusal(401, 'INVALID_REFRESH_TOKEN');
      }
      pair += 1;
      return Response.json({ accessToken: `access-${pair}`, refreshToken: `refresh-${pair}` });
    }
    const isGood = request.headers.get('authorization') === `Bearer access-${pair}`;
    const sent = request.method === 'POST' ? await request.json() : undefined;
    return isGood && !isEnded ? Response.json({ sent }) : refusal(401, 'UNAUTHENTICATED');
  };
  return { fetch, refreshes, expire: () => void (pair += 1) };
};

const createStorage = (): TokenStorage & { readonly kept: Map<string, string> } => {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
};

/** A lock of all tabs, as a browser's is. */
const createLock = (): NonNullable<SessionOptions['lock']> => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request<Result>(_name: string, act: () => Promise<Result>): Promise<Result> {
      const turn = last.then(act);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
};

const old = { accessToken: 'access-0', refreshToken: 'refresh-1' };
const baseUrl = 'http://api.test';

describe('a session', () => {
  it('refreshes once for all calls of all tabs, and repeats each with its body', async () => {
    const api = createApi();
    const [storage, lock] = [createStorage(), createLock()];
    const tabs = [0, 1].map(() =>
      createCustomerSession({ baseUrl, storage, lock, fetch: api.fetch }),
    );
    tabs[0]?.begin(old);
    const answers = await Promise.all(
      tabs.flatMap(({ api: client }) => [
        client.get('/v1/portfolio'),
        client.post('/v1/gold/quote', { body: { unit: 'INR', amount: '100' } }),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[1]?.body).toEqual({ sent: { unit: 'INR', amount: '100' } });
    expect(api.refreshes).toEqual(['refresh-1']);
    const renewed = { accessToken: 'access-2', refreshToken: 'refresh-2' };
    expect(tabs.map((tab) => tab.tokens())).toEqual([renewed, renewed]);
  });

  it('takes turns in one page where there is no lock', async () => {
    const api = createApi();
    const session = createCustomerSession({ baseUrl, storage: createStorage(), fetch: api.fetch });
    session.begin(old);
    await Promise.all(Array.from({ length: 5 }, () => session.api.get('/v1/portfolio')));
    expect(api.refreshes).toEqual(['refresh-1']);
  });

  it('ends where its refresh token is refused, and says so once', async () => {
    const api = createApi();
    api.expire();
    const [storage, onEnd] = [createStorage(), vi.fn<() => void>()];
    const session = createCustomerSession({ baseUrl, storage, onEnd, fetch: api.fetch });
    session.begin(old);
    const calls = [session.api.get('/v1/portfolio'), session.api.get('/v1/kyc/status')];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'UNAUTHENTICATED' } });
    }
    expect(session.tokens()).toBeUndefined();
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('keeps its tokens where a refresh has no answer, for the next try', async () => {
    const api = createApi();
    let isCut = true;
    const fetch = async (request: Request): Promise<Response> => {
      if (isCut && request.url.endsWith('/refresh')) throw new TypeError('cut');
      return api.fetch(request);
    };
    const session = createCustomerSession({ baseUrl, storage: createStorage(), fetch });
    session.begin(old);
    await expect(session.api.get('/v1/portfolio')).rejects.toThrow(ApiUnreachableError);
    expect(session.tokens()).toEqual(old);
    isCut = false;
    expect((await session.api.get('/v1/portfolio')).status).toBe(200);
  });

  it('is nobody where the storage holds something else', async () => {
    const storage = createStorage();
    const session = createCustomerSession({ baseUrl, storage, fetch: createApi().fetch });
    for (const text of ['', 'x', '{}', '{"accessToken":1}', '{"accessToken":"a"}']) {
      storage.setItem('digital-gold-session', text);
      expect(session.tokens()).toBeUndefined();
    }
    await expect(session.api.get('/v1/portfolio')).rejects.toMatchObject({ status: 401 });
  });
});
