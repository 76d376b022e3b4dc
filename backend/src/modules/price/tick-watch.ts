import { RedisAdapter } from '@socket.io/redis-adapter';
import type { Server } from 'socket.io';
import { addMs, msBetween, type Clock } from '../../platform/clock/clock.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { priceNamespace } from './price-broadcast.ts';
import type { Tick } from './price.store.ts';
import { markOf, tickEveryMs } from './price.types.ts';

/** From a mark on, the time for which the broadcast of its tick is waited for. */
const patienceMs = 1500;
/** The provider has three seconds, so that a tick may be written later than that. */
const looks = 6;
const lookEveryMs = 500;

interface TickWatchOptions {
  readonly io: Server;
  readonly lastTick: () => Promise<Tick | undefined>;
  /** Sends a tick to the sockets of this replica alone. */
  readonly sendHere: (tick: Tick) => void;
  readonly wall: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** Returns the number of the tick in a message of another process, if it is one. */
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
 * Tells `hear` of each tick that comes from another process. A message for which it returns false
 * goes no further.
 */
const listen = (io: Server, hear: (seq: number) => boolean): void => {
  const { adapter } = io.of(priceNamespace);
  if (!(adapter instanceof RedisAdapter)) return;
  const { parser } = adapter;
  const decode = (bytes: Buffer): unknown => {
    const message: unknown = parser.decode(bytes);
    const seq = seqOf(message);
    return seq === undefined || hear(seq) ? message : [];
  };
  Reflect.set(adapter, 'parser', { encode: parser.encode, decode });
};

/**
 * Watches for the tick of each mark. If the tick does not arrive in time, as without Redis, the
 * replica reads its row and sends it to its own sockets. If the tick arrives afterwards, it is
 * dropped.
 */
export const watchTicks = (options: TickWatchOptions): (() => void) => {
  const { io, wall, timers, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let heard = 0;
  let sent = 0;
  let heardAt = new Date(0);
  listen(io, (seq) => {
    heardAt = wall.now();
    heard = Math.max(heard, seq);
    return seq !== sent;
  });

  /** Returns true when there is nothing left to do for a mark. */
  const look = async (mark: Date): Promise<boolean> => {
    if (heardAt >= mark) return true;
    const tick = await options.lastTick();
    if (tick === undefined || tick.mark < mark) return false;
    // A leader whose clock is ahead may have been heard before the mark.
    if (heard >= tick.seq || sent >= tick.seq) return true;
    sent = tick.seq;
    options.sendHere(tick);
    return true;
  };
  const watchMark = async (mark: Date): Promise<void> => {
    for (let looked = 0; looked < looks && !signal.aborted; looked += 1) {
      if (await look(mark)) return;
      await timers.sleep(lookEveryMs, signal);
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
