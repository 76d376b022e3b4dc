import { describe, expect, it } from 'vitest';
import { hasLimitHeaders, hasRetryAfter, readLimitAnswer } from './limit-answer.ts';

const headers = {
  Ratelimit: '"customer"; r=99; t=60',
  'Ratelimit-Policy': '"customer"; q=100; w=60; pk=:M2ViZTI3:',
};
const refused = {
  status: 429,
  expected: [401],
  headers: {
    Ratelimit: '"customer"; r=0; t=42',
    'Ratelimit-Policy': '"customer"; q=100; w=60; pk=:M2ViZTI3:',
    'Retry-After': '42',
  },
  body: '{"error":{"code":"RATE_LIMITED","message":"Too many.","requestId":"r-1"}}',
};

describe('readLimitAnswer', () => {
  it('reads the headers in any case, and the code of the envelope', () => {
    expect(readLimitAnswer(refused)).toEqual({
      status: 429,
      isRefused: true,
      isExpected: true,
      remaining: 0,
      resetSeconds: 42,
      quota: 100,
      windowSeconds: 60,
      retryAfterSeconds: 42,
      errorCode: 'RATE_LIMITED',
    });
    expect(readLimitAnswer({ status: 200, expected: [200], headers, body: 'ok' })).toMatchObject({
      isRefused: false,
      isExpected: true,
      remaining: 99,
      retryAfterSeconds: undefined,
    });
  });

  it.each([0, 404, 500])('expects no %i of a route that answers 200', (status) => {
    const answer = readLimitAnswer({ status, expected: [200], headers: {}, body: '' });
    expect(answer.isExpected).toBe(false);
  });

  it('leaves out what is not there or is no number', () => {
    const answer = readLimitAnswer({
      status: 200,
      expected: [200],
      headers: { ratelimit: 'r=many', 'retry-after': 'Sat, 21 Nov 2026 21:00:00 GMT' },
      body: undefined,
    });
    expect(answer.remaining).toBeUndefined();
    expect(answer.quota).toBeUndefined();
    expect(answer.retryAfterSeconds).toBeUndefined();
  });

  it.each(['', 'no JSON', 'null', '{"error":"RATE_LIMITED"}', '{"error":{"code":"RATE_LIMITED"}}'])(
    'takes %s for no envelope',
    (body) => {
      expect(readLimitAnswer({ ...refused, body }).errorCode).toBeUndefined();
    },
  );
});

describe('hasLimitHeaders', () => {
  it('holds the headers against the limit and the window', () => {
    const answer = readLimitAnswer({ status: 200, expected: [200], headers, body: '' });
    expect(hasLimitHeaders(answer, 100, 60)).toBe(true);
    expect(hasLimitHeaders(answer, 101, 60)).toBe(false);
    expect(hasLimitHeaders(answer, 100, 30)).toBe(false);
    expect(hasLimitHeaders({ ...answer, remaining: 100 }, 100, 60)).toBe(false);
    expect(hasLimitHeaders({ ...answer, remaining: undefined }, 100, 60)).toBe(false);
    expect(hasLimitHeaders({ ...answer, resetSeconds: 61 }, 100, 60)).toBe(false);
  });

  it('lets a refusal have nothing left', () => {
    expect(hasLimitHeaders(readLimitAnswer(refused), 100, 60)).toBe(true);
    expect(hasLimitHeaders({ ...readLimitAnswer(refused), remaining: 1 }, 100, 60)).toBe(false);
  });
});

describe('hasRetryAfter', () => {
  it('is from one second to a whole window', () => {
    const answer = readLimitAnswer(refused);
    const seconds = [undefined, 0, 1, 60, 61];
    const verdicts = seconds.map((retryAfterSeconds) =>
      hasRetryAfter({ ...answer, retryAfterSeconds }, 60),
    );
    expect(verdicts).toEqual([false, false, true, true, false]);
  });
});
