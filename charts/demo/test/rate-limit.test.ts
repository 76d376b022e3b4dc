import { afterEach, expect, it } from 'vitest';
import { waitForRateLimit } from '../src/wait-for-rate-limit.ts';
import { serve } from './serve.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const waitsAt = async (header: string | undefined): Promise<number[]> => {
  const server = await serve((_req, res) => {
    if (header !== undefined) res.setHeader('ratelimit', header);
    res.end();
  });
  closers.push(server.close);
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  await waitForRateLimit({ sleep }, server.endpoint, 90);
  return waits;
};

it('waits for the next window where too little is left of this one', async () => {
  expect(await waitsAt('"100-in-1min"; r=12; t=41')).toEqual([41_500]);
});

it('waits for nothing where there is enough, or where nobody says', async () => {
  expect(await waitsAt('"100-in-1min"; r=99; t=60')).toEqual([]);
  expect(await waitsAt(undefined)).toEqual([]);
});
