import type { Server as HttpServer } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import { Emitter } from '@socket.io/redis-emitter';
import type { Redis } from 'ioredis';
import { Server, type Socket } from 'socket.io';
import type { Logger } from '../../platform/observability/index.ts';
import { presentTick } from './price.schemas.ts';
import type { PriceStore } from './price.store.ts';
import { priceLifeMs, type PriceTick } from './price.types.ts';
import { msBetween } from '../../platform/clock/clock.ts';

const namespace = '/price';

/** Sends a tick to the sockets of every replica, from a process that has none. */
export const createPriceBroadcast = (options: {
  readonly redis: Redis;
  readonly logger: Logger;
}): ((tick: PriceTick) => void) => {
  const emitter = new Emitter(options.redis);
  return (tick) => {
    try {
      emitter.of(namespace).emit('price_update', presentTick(tick));
    } catch (error) {
      options.logger.error({ err: error, seq: tick.seq }, 'a tick could not be broadcast');
    }
  };
};

/**
 * The feed's sockets on a customer API replica: namespace `/price`, any origin, no credential
 * (interface, Events). A client gets one `price_snapshot` when it connects.
 */
export const attachPriceSocket = (
  server: HttpServer,
  options: {
    readonly publisher: Redis;
    readonly subscriber: Redis;
    readonly store: PriceStore;
    readonly logger: Logger;
  },
): Server => {
  const io = new Server(server, {
    adapter: createAdapter(options.publisher, options.subscriber),
    cors: { origin: '*' },
    serveClient: false,
    maxHttpBufferSize: 16_384,
  });
  const sendSnapshot = async (socket: Socket): Promise<void> => {
    const last = await options.store.lastTick();
    if (last === undefined) return;
    const stale = msBetween(last.price.asOf, last.mark) > priceLifeMs;
    socket.emit('price_snapshot', presentTick({ ...last, stale }));
  };
  io.of(namespace).on('connection', (socket) => {
    sendSnapshot(socket).catch((error: unknown) => {
      options.logger.error({ err: error }, 'no snapshot for a new socket');
    });
  });
  return io;
};
