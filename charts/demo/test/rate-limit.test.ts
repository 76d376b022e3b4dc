import type { RequestListener } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { waitForRateLimit } from '../src/wait-for-rate-limit.ts';
import { serve } from './serve.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const waitsFor = async (listener: RequestListener): Promise<number[]> => {
  const server = await serve(listener);
  closers.push(server.close);
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  await waitForRateLimit({ sleep }, server.endpoint, 90);
  return waits;
};

const waitsAt = (header: string | undefined): Promise<number[]> =>
  waitsFor((_req, res) => {
    if (header !== undefined) res.setHeader('ratelimit', header);
    res.end();
  });

it('waits for the next window where too little is left of this one', async () => {
  expect(await waitsAt('"100-in-1min"; r=12; t=41')).toEqual([41_500]);
});

it('waits for nothing where there is enough, or where nobody says', async () => {
  expect(await waitsAt('"100-in-1min"; r=99; t=60')).toEqual([]);
  expect(await waitsAt(undefined)).toEqual([]);
});

it('waits as long as the API says where nothing is left', async () => {
  const refusal = JSON.stringify({
    error: { code: 'RATE_LIMITED', message: 'Too many requests.' },
  });
  const waits = await waitsFor((_req, res) => {
    res.writeHead(429, { 'retry-after': '7' }).end(refusal);
  });
  expect(waits).toEqual([7500]);
});

it('reaches the ingress under the name of the host, and says what it answered else', async () => {
  let seen = '';
  const answer = waitsFor((req, res) => {
    seen = `${req.method} ${req.headers.host}${req.url}`;
    res.writeHead(503).end('no upstream');
  });
  await expect(answer).rejects.toMatchObject({ call: 'GET /v1/price/current', status: 503 });
  expect(seen).toBe('GET gold.example/v1/price/current');
});
