import { RedisAdapter } from '@socket.io/redis-adapter';
import type { Server } from 'socket.io';
import { addMs, msBetween, type Clock } from '../../platform/clock/clock.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { priceNamespace } from './price-broadcast.ts';
import type { Tick } from './price.store.ts';
import { markOf, tickEveryMs } from './price.types.ts';

/** The time in ms after a mark for which the replica waits for the broadcast of its tick. */
const patienceMs = 1500;
/**
 * The number of checks for a tick after that wait. Several checks are needed, because the feed waits
 * up to three seconds for the provider before it inserts the tick.
 */
const maxChecks = 6;
const checkEveryMs = 500;

interface TickWatchOptions {
  readonly io: Server;
  readonly lastTick: () => Promise<Tick | undefined>;
  /** Sends a tick to the sockets of this replica alone. */
  readonly sendHere: (tick: Tick) => void;
  readonly wall: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** Returns the number of the tick in a message of another process, or undefined for other messages. */
const seqOf = (message: unknown): number | undefined => {
  if (!Array.isArray(message)) return undefined;
  const [, packet] = message as readonly unknown[];
  const data: unknown =
    typeof packet === 'object' && packet !== null ? Reflect.get(packet, 'data') : [];
  const body: unknown = Array.isArray(data) && data[0] === 'price_update' ? data[1] : undefined;
  const seq: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'seq') : undefined;
  return typeof seq === 'number' ? seq : undefined;
};

/**
 * Calls `onTick` with the number of each tick that another process broadcasts. If `onTick` returns
 * false, the tick is not sent to the sockets.
 */
const listenForTicks = (io: Server, onTick: (seq: number) => boolean): void => {
  const { adapter } = io.of(priceNamespace);
  if (!(adapter instanceof RedisAdapter)) return;
  const { parser } = adapter;
  const decode = (bytes: Buffer): unknown => {
    const message: unknown = parser.decode(bytes);
    const seq = seqOf(message);
    return seq === undefined || onTick(seq) ? message : [];
  };
  Reflect.set(adapter, 'parser', { encode: parser.encode, decode });
};

/**
 * Watches for the tick of each mark. If the broadcast does not arrive in time, for example because
 * Redis is down, the replica reads the tick from the database and sends it to its own sockets. If the
 * broadcast arrives later, it is dropped. Returns a function that stops the watch.
 */
export const watchTicks = (options: TickWatchOptions): (() => void) => {
  const { io, wall, timers, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let receivedSeq = 0;
  let sentSeq = 0;
  let receivedAt = new Date(0);
  listenForTicks(io, (seq) => {
    receivedAt = wall.now();
    receivedSeq = Math.max(receivedSeq, seq);
    return seq !== sentSeq;
  });

  /** Sends the tick of a mark if its broadcast has not arrived. Returns false to be called again. */
  const sendIfMissed = async (mark: Date): Promise<boolean> => {
    if (receivedAt >= mark) return true;
    const tick = await options.lastTick();
    if (tick === undefined || tick.mark < mark) return false;
    // The broadcast of a leader whose clock is ahead may have arrived before the mark.
    if (receivedSeq >= tick.seq || sentSeq >= tick.seq) return true;
    sentSeq = tick.seq;
    options.sendHere(tick);
    return true;
  };
  const watchMark = async (mark: Date): Promise<void> => {
    for (let checks = 0; checks < maxChecks && !signal.aborted; checks += 1) {
      if (await sendIfMissed(mark)) return;
      await timers.sleep(checkEveryMs, signal);
    }
  };
  const watch = async (): Promise<void> => {
    let mark = markOf(wall.now());
    while (!signal.aborted) {
      mark = addMs(mark, tickEveryMs);
      const current = markOf(wall.now());
      if (current > mark) mark = current;
      await timers.sleep(Math.max(0, msBetween(wall.now(), addMs(mark, patienceMs))), signal);
      await watchMark(mark).catch((error: unknown) => {
        logger.warn({ err: error }, 'a missed tick could not be read');
      });
    }
  };
  void watch();
  return () => stopping.abort();
};
