import { Emitter } from '@socket.io/redis-emitter';
import type { Redis } from 'ioredis';
import type { Logger } from '../../platform/observability/index.ts';
import { presentTick } from './price.schemas.ts';
import type { PriceTick } from './price.types.ts';

/** The Socket.IO namespace of the price feed. */
export const priceNamespace = '/price';

/** Creates the function that sends a tick to the sockets of every replica, through Redis. */
export const createPriceBroadcast = (options: {
  readonly redis: Redis;
  readonly logger: Logger;
}): ((tick: PriceTick) => void) => {
  const { redis, logger } = options;
  // The emitter ignores the promise that `publish` returns, so a rejection must be handled here.
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
