import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createSystemClock, msBetween } from './clock.ts';
import { createFollowedClock } from './followed-clock.ts';
import { endOfIstDay, istDate, startOfIstDay } from './ist.ts';
import { createTimers } from './timers.ts';

describe('the IST calendar', () => {
  it.each([
    ['2026-03-01T18:29:59.999Z', '2026-03-01'],
    ['2026-03-01T18:30:00.000Z', '2026-03-02'],
    ['2026-12-31T18:30:00.000Z', '2027-01-01'],
    ['2028-02-28T18:30:00.000Z', '2028-02-29'],
  ])('has %s on %s', (at, date) => {
    expect(istDate(new Date(at))).toBe(date);
  });

  it('begins its days at half past six in the evening, UTC', () => {
    const at = new Date('2026-03-01T20:00:00.000Z');
    expect(startOfIstDay(at).toISOString()).toBe('2026-03-01T18:30:00.000Z');
    expect(endOfIstDay(at).toISOString()).toBe('2026-03-02T18:30:00.000Z');
    expect(startOfIstDay(startOfIstDay(at))).toEqual(startOfIstDay(at));
  });
});

describe('a followed clock', () => {
  let server: Server;
  let url = '';
  let answer: { status: number; body: string } = { status: 200, body: '{"offsetSeconds":0}' };

  beforeAll(async () => {
    server = createServer((_req, res) => {
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  });
  afterAll(() => {
    server.close();
  });

  it('shows the offset from the start, follows it, and keeps the last one it heard', async () => {
    const errors: unknown[] = [];
    const clock = createFollowedClock({ url, pollMs: 20, onError: (error) => errors.push(error) });
    const system = createSystemClock();
    const offsetSeconds = () => Math.round(msBetween(system.now(), clock.now()) / 1000);
    answer = { status: 200, body: '{"now":"x","offsetSeconds":3600}' };
    await clock.start();
    expect(offsetSeconds()).toBe(3600);
    answer = { status: 200, body: '{"offsetSeconds":-90}' };
    await eventually(() => expect(offsetSeconds()).toBe(-90));
    answer = { status: 500, body: 'broken' };
    await eventually(() => expect(errors.length).toBeGreaterThan(0));
    expect(offsetSeconds()).toBe(-90);
    await clock.stop();
  });
});

describe('a sleep', () => {
  it('ends when its signal aborts, without an error', async () => {
    const stopping = new AbortController();
    const sleeping = createTimers().sleep(3_600_000, stopping.signal);
    stopping.abort();
    await expect(sleeping).resolves.toBeUndefined();
    await expect(createTimers().sleep(3_600_000, stopping.signal)).resolves.toBeUndefined();
  });
});
