import { io, type Socket } from 'socket.io-client';
import { z } from 'zod';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';

const tickSchema = z.object({ seq: z.number(), stale: z.boolean().optional() });

export interface HeardTick {
  readonly replica: string;
  /** The number of the socket that received it, counted over all replicas. */
  readonly socket: number;
  readonly seq: number;
  /** The time of its arrival, in ms since the epoch. */
  readonly atMs: number;
}

export interface Listeners {
  /** All ticks that any socket has received so far. */
  readonly heard: readonly HeardTick[];
  /** Resolves at the next tick that any socket receives. */
  nextTick(timeoutMs: number): Promise<HeardTick>;
  close(): void;
}

const clock = createSystemClock();
const timers = createTimers();
const pollMs = 2;

const connected = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });

/** Opens `count` sockets on the price feed of each replica. */
export const listen = async (urls: readonly string[], count: number): Promise<Listeners> => {
  const heard: HeardTick[] = [];
  const sockets: Socket[] = [];
  for (const url of urls) {
    for (let index = 0; index < count; index += 1) {
      const socket = io(`${url}/price`, {
        transports: ['websocket'],
        forceNew: true,
        // The header of the one trusted hop. The sockets of one address are limited.
        extraHeaders: { 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` },
      });
      const number = sockets.push(socket);
      socket.on('price_update', (message: unknown) => {
        const { seq } = tickSchema.parse(message);
        heard.push({ replica: url, socket: number, seq, atMs: clock.now().getTime() });
      });
      await connected(socket);
    }
  }
  return {
    heard,
    async nextTick(timeoutMs) {
      const previousCount = heard.length;
      const deadline = performance.now() + timeoutMs;
      while (performance.now() < deadline) {
        const [tick] = heard.slice(previousCount);
        if (tick !== undefined) return tick;
        await timers.sleep(pollMs);
      }
      throw new Error(`no tick within ${timeoutMs} ms`);
    },
    close: () => {
      for (const socket of sockets) socket.disconnect();
    },
  };
};
