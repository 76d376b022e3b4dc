import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { createAdapter } from '@socket.io/redis-adapter';
import type { Redis } from 'ioredis';
import { Gauge, type Registry } from 'prom-client';
import { Server, type Socket } from 'socket.io';
import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import { batchReads, type Db } from '../../platform/db/index.ts';
import { fixedHeaders, addressGroup, clientAddress } from '../../platform/http/index.ts';
import type { Logger, Metrics } from '../../platform/observability/index.ts';
import { priceNamespace } from './price-broadcast.ts';
import { presentTick } from './price.schemas.ts';
import { findLastTick, type Tick } from './price.store.ts';
import { tickEveryMs } from './price.types.ts';
import { watchTicks } from './tick-watch.ts';

/** Returns true if a tick repeats an older price, or is so old that the feed has stopped. */
const isStale = ({ price, mark }: Tick, now: Date): boolean =>
  msBetween(price.asOf, mark) > tickEveryMs / 2 || msBetween(mark, now) > 2 * tickEveryMs;

/**
 * Attaches the sockets of the feed to a replica of the customer API, in the namespace `/price`. Any
 * origin may connect without a credential, and the sockets of one address are limited. A client gets
 * a `price_snapshot` when it connects, and then every tick, even without Redis.
 */
export const attachPriceSocket = (
  server: HttpServer,
  options: {
    readonly publisher: Redis;
    readonly subscriber: Redis;
    readonly db: Db;
    readonly wall: Clock;
    readonly timers: Timers;
    readonly logger: Logger;
  } & SocketLimitOptions,
): Server => {
  const limit = createSocketLimit(options);
  const io = new Server(server, {
    adapter: createAdapter(options.publisher, options.subscriber),
    cors: { origin: '*' },
    serveClient: false,
    maxHttpBufferSize: 16_384,
    allowRequest: (req, callback) => callback(null, limit.mayOpen(req)),
  });
  io.engine.use(fixedHeaders());
  io.engine.on('connection', (socket) => limit.admit(socket));
  // When a replica ends, many clients reconnect at the same time. One read serves all of them.
  const lastTick = batchReads(() => findLastTick(options.db));
  const sendSnapshot = async (socket: Socket): Promise<void> => {
    const last = await lastTick();
    if (last === undefined) return;
    const stale = isStale(last, options.wall.now());
    socket.emit('price_snapshot', presentTick({ ...last, stale }));
  };
  io.of(priceNamespace).on('connection', (socket) => {
    sendSnapshot(socket).catch((error: unknown) => {
      options.logger.error({ err: error }, 'no snapshot for a new socket');
    });
  });
  const stop = watchTicks({
    io,
    lastTick,
    sendHere: (tick) => {
      const stale = isStale(tick, options.wall.now());
      io.of(priceNamespace).local.emit('price_update', presentTick({ ...tick, stale }));
    },
    ...options,
  });
  server.once('close', stop);
  return io;
};

/** Creates the gauge of open sockets on this replica. */
export const createSocketGauge = (io: Server, registry: Registry): void => {
  void new Gauge({
    name: 'price_sockets_open',
    help: 'Sockets of the price feed that are open on this replica.',
    registers: [registry],
    collect() {
      this.set(io.engine.clientsCount);
    },
  });
};

interface SocketLimitOptions {
  /** The maximum number of open sockets of one address (an IPv6 /64) on this replica. */
  readonly socketsPerAddress: number;
  readonly trustProxyHops: number;
  readonly metrics: Pick<Metrics, 'countBoundReached'>;
}

/** The members of an Engine.IO socket that the limit needs. */
interface RawSocket {
  readonly request: IncomingMessage;
  once(event: 'close', listener: () => void): unknown;
  close(discard: boolean): void;
}

/**
 * Creates the limit of open sockets per address. `mayOpen` refuses a handshake before a socket is
 * created. Several concurrent handshakes may pass it, so `admit` checks the limit again and closes a
 * socket that exceeds it.
 */
const createSocketLimit = (options: SocketLimitOptions) => {
  const { socketsPerAddress, trustProxyHops, metrics } = options;
  const openSockets = new Map<string, number>();

  const groupOf = (req: IncomingMessage): string =>
    addressGroup(clientAddress(req, trustProxyHops));
  const hasRoom = (group: string): boolean => {
    if ((openSockets.get(group) ?? 0) < socketsPerAddress) return true;
    metrics.countBoundReached('price_sockets');
    return false;
  };
  const release = (group: string): void => {
    const count = (openSockets.get(group) ?? 0) - 1;
    if (count > 0) openSockets.set(group, count);
    else openSockets.delete(group);
  };

  return {
    mayOpen: (req: IncomingMessage): boolean => hasRoom(groupOf(req)),
    admit(socket: RawSocket): void {
      const group = groupOf(socket.request);
      if (!hasRoom(group)) {
        socket.close(true);
        return;
      }
      openSockets.set(group, (openSockets.get(group) ?? 0) + 1);
      socket.once('close', () => release(group));
    },
  };
};
