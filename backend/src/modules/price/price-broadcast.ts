import { Emitter } from '@socket.io/redis-emitter';
import type { Redis } from 'ioredis';
import type { Logger } from '../../platform/observability/index.ts';
import { presentTick } from './price.schemas.ts';
import type { PriceTick } from './price.types.ts';

/** The namespace of the price's sockets. */
export const priceNamespace = '/price';

/** Sends a tick to the sockets of every replica, from a process that has none. */
export const createPriceBroadcast = (options: {
  readonly redis: Redis;
  readonly logger: Logger;
}): ((tick: PriceTick) => void) => {
  const { redis, logger } = options;
  // The emitter drops the promise of its publish: a rejection must not end the process.
  const publish = (channel: string, message: Buffer): void => {
    redis.publish(channel, message).catch((error: unknown) => {
      logger.error({ err: error }, 'a tick could not be broadcast');
    });
  };
  const emitter = new Emitter({ publish });
  return (tick) => {
    emitter.of(priceNamespace).emit('price_update', presentTick(tick));
  };
};
