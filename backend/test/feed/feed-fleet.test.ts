import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSandboxControls, type SandboxControls } from '#test/support/sandbox-controls.ts';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { createCaller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import type { StartedProcess } from '#test/support/start-process.ts';
import { createTestStack, type TestStack } from '#test/support/test-stack.ts';

const tickSchema = z.object({
  seq: z.number(),
  buyPaise: z.number(),
  sellPaise: z.number(),
  asOf: z.string(),
  stale: z.boolean().optional(),
});
interface Heard extends z.output<typeof tickSchema> {
  /** The time of its arrival, on the wall clock. */
  readonly at: number;
}

/** A socket at a replica, and everything that it received. */
interface Listener {
  readonly socket: Socket;
  readonly ticks: Heard[];
  readonly snapshots: Heard[];
}

let stack: TestStack;
let sandbox: SandboxControls;
let workers: StartedProcess[];
let apis: StartedProcess[];
let listeners: Listener[];
let leader: StartedProcess | undefined;

const hear = (into: Heard[]) => (message: unknown) =>
  void into.push({ ...tickSchema.parse(message), at: Date.now() });

const withoutTime = (ticks: readonly Heard[]) => ticks.map(({ at: _at, ...tick }) => tick);

const listen = (url: string): Listener => {
  const socket = io(`${url}/price`, { transports: ['websocket'] });
  const listener: Listener = { socket, ticks: [], snapshots: [] };
  socket.on('price_update', hear(listener.ticks));
  socket.on('price_snapshot', hear(listener.snapshots));
  return listener;
};

beforeAll(async () => {
  stack = await createTestStack();
  await stack.start('sandbox');
  sandbox = createSandboxControls(stack.urlOf('sandbox'));
  apis = await Promise.all([stack.start('customer'), stack.start('customer')]);
  workers = await Promise.all([stack.start('worker'), stack.start('worker')]);
  listeners = apis.map(({ url }) => listen(url));
});
afterAll(async () => {
  for (const { socket } of listeners) socket.close();
  await stack.stop();
});

/** Of a wait for a tick: one comes every 10 s, for which a busy machine is late. */
const patient = { timeoutMs: 60_000 };

/** Waits until every listener has received a tick more than `since`. */
const untilHeard = (since: readonly number[]): Promise<void> =>
  eventually(() => {
    for (const [n, { ticks }] of listeners.entries()) {
      expect(ticks.length).toBeGreaterThan(since[n] ?? 0);
    }
  }, patient);

const untilHeardOf = (seq: number): Promise<void> =>
  eventually(() => {
    for (const { ticks } of listeners) expect(ticks.map((tick) => tick.seq)).toContain(seq);
  });

/** Reads the rows of all ticks, in the order of their numbers. */
const readRows = () =>
  withConnection(stack.database.databaseUrl, async (client) => {
    const sql = `SELECT seq::int AS seq, mark FROM price_snapshot ORDER BY seq`;
    return (await client.query<{ seq: number; mark: Date }>(sql)).rows;
  });

const heardSoFar = (): number[] => listeners.map(({ ticks }) => ticks.length);
const newestAtEach = () => listeners.map(({ ticks }) => withoutTime(ticks.slice(-1)));
const newest = (): Heard | undefined => listeners[0]?.ticks.at(-1);

/** Counts this worker's requests for prices, which only the leader sends. */
const countPriceRequests = async ({ internalUrl }: StartedProcess): Promise<number> => {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  const counts = text.matchAll(
    /^collaborator_call_duration_seconds_count\{.*operation="buy-price".*\} (\d+)$/gmu,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

/** Returns the worker that sends the next request for a price. */
const findLeader = async (): Promise<StartedProcess> => {
  const before = await Promise.all(workers.map(countPriceRequests));
  const asked = async (): Promise<StartedProcess | false> => {
    const now = await Promise.all(workers.map(countPriceRequests));
    return workers.find((_, n) => (now[n] ?? 0) > (before[n] ?? 0)) ?? false;
  };
  const found = await eventually(asked, { ...patient, everyMs: 100 });
  if (found === false) throw new Error('nobody asks for prices');
  return found;
};

const expectNoGap = (ticks: readonly Heard[]): void => {
  const first = ticks[0]?.seq ?? 0;
  expect(ticks.map(({ seq }) => seq)).toEqual(ticks.map((_, n) => first + n));
};

describe('the price feed of two customer APIs and two workers', () => {
  it('sends the same at both replicas', async () => {
    leader = await findLeader();
    await untilHeard(heardSoFar());
    await eventually(() => {
      const [one, other] = newestAtEach();
      expect(one).toEqual(other);
    });
  });

  it('gives a snapshot of the last tick to a new socket', async () => {
    const before = newest()?.seq ?? Infinity;
    const late = listen(apis[1]?.url ?? '');
    await eventually(() => expect(late.snapshots).toHaveLength(1));
    late.socket.close();
    const [snapshot] = late.snapshots;
    expect(snapshot?.seq).toBeGreaterThanOrEqual(before);
    // A tick that came meanwhile may be in the snapshot before the others receive it.
    await untilHeardOf(snapshot?.seq ?? 0);
  });

  it('a killed leader is replaced within 15 s, and the numbers go on', async () => {
    expect(leader).toBeDefined();
    const killedAt = Date.now();
    await leader?.kill('SIGKILL');
    const next = await eventually(async () => {
      const found = (await readRows()).find(({ mark }) => mark.getTime() > killedAt);
      if (found === undefined) throw new Error('no tick since');
      return found;
    }, patient);
    // A busy machine may be late for its mark.
    expect(next.mark.getTime() - killedAt).toBeLessThan(15_000);
    await untilHeardOf(next.seq);
    for (const { ticks } of listeners) expectNoGap(ticks);
  });

  it('with the provider down the last price goes on, stale', async () => {
    await sandbox.fault('safegold', 'buy-price', 'error', { times: 1000 });
    await eventually(() => expect(newest()).toMatchObject({ stale: true }), patient);
    const last = listeners[0]?.ticks.findLast(({ stale }) => stale !== true);
    expect(newest()).toMatchObject({ buyPaise: last?.buyPaise, asOf: last?.asOf });
    // Each has a separate address, since an address may send a hundred requests a minute.
    let calls = 0;
    const askPrice = () => {
      calls += 1;
      const headers = { 'x-forwarded-for': `10.0.${calls >> 8}.${calls & 255}` };
      return createCaller(`${stack.urlOf('customer')}/v1`, headers)('GET', '/price/current');
    };
    // As soon as the last price is too old to buy by.
    await eventually(
      async () => {
        const current = await askPrice();
        expect(current).toMatchObject({ status: 502, code: 'PRICE_UNAVAILABLE' });
      },
      { ...patient, everyMs: 100 },
    );
    await sandbox.clearFaults();
    await eventually(async () => {
      expect((await askPrice()).status).toBe(200);
    });
    await eventually(() => {
      expect(newest()).toBeDefined();
      expect(newest()?.stale).toBeUndefined();
    }, patient);
  });

  it('ticks once in each 10 s, and leaves a row for it, numbered without a gap', async () => {
    for (const { ticks } of listeners) {
      expectNoGap(ticks);
      expect(new Set(ticks.map(({ seq }) => seq)).size).toBe(ticks.length);
    }
    const rows = await readRows();
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, n) => n + 1));
    for (const { mark } of rows) expect(mark.getTime() % 10_000).toBe(0);
    const markOf = new Map(rows.map(({ seq, mark }) => [seq, mark.getTime()]));
    // Lateness has its benchmark and its load test. A tick is never ahead of its mark.
    for (const { seq, at } of listeners.flatMap(({ ticks }) => ticks)) {
      expect(at).toBeGreaterThanOrEqual(markOf.get(seq) ?? Infinity);
    }
    expect(new Set(rows.map(({ mark }) => mark.getTime())).size).toBe(rows.length);
  });
});
