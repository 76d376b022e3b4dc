import { Socket } from 'node:net';
import { Pool, type Client, type ClientConfig, type PoolConfig } from 'pg';
import type { Timers } from '../clock/timers.ts';
import { createServerWatch, type Heard, type ServerWatch } from './server-watch.ts';
import { isPooled } from '../config/pooled-address.ts';
import { prepareSession, sessionOptions } from './session.ts';
import { clientClassOf } from './several-hosts.ts';

interface PoolOptions {
  readonly size: number;
  /** A name that `pg_stat_activity` shows. */
  readonly applicationName: string;
  /** The time that a statement waits for a connection, in milliseconds (default 5000). */
  readonly connectionWaitMs?: number;
  /** The longest wait for a lock, in milliseconds. Without it, the server's own setting holds. */
  readonly lockWaitMs?: number;
  /** Called with the reason when a connection was lost. */
  readonly onError?: (error: Error) => void;
}

/** The use of a pool at a moment. */
interface PoolUse {
  readonly name: string;
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/**
 * The connections of a process to its database. They are tracked, so that all of them can be
 * discarded at once when the server behind them is gone (contract: conventions > Lost servers).
 */
export interface Connections {
  /**
   * Opens a pool. The server ends a statement after 30 s. A statement that the server does not end
   * is ended here a little later, together with its connection. Nothing connects before the first
   * statement.
   */
  openPool(options: PoolOptions): Pool;
  /** True if a pooler in transaction mode is in between, so that a session keeps no state. */
  readonly isPooled: boolean;
  /** Returns the use of each pool that was opened and not ended. */
  pools(): readonly PoolUse[];
  /**
   * Opens a client that stays connected, separately from the pools. `close` closes it too.
   * `settings` replace some of the usual settings.
   */
  createClient(applicationName: string, settings?: ClientConfig): Client;
  /** Runs a query on the connection that is kept for it, without waiting for a pool. */
  readonly ask: ServerWatch['ask'];
  /** Rejects if the server does not answer on that connection, or takes no writes. */
  readonly checkWrites: () => Promise<void>;
  /** @throws WrongSessionError if a session lacks the settings that this service needs */
  readonly checkSession: () => Promise<void>;
  /**
   * Stops waiting for a server that does not answer, because the process is being stopped. If only
   * one connection of a pool is silent, and the server answers on others, the silent connection is
   * discarded after `patienceMs` (default 12 000), so that its statement delays nothing.
   */
  readonly hurry: (patienceMs?: number) => void;
  /** Closes every connection that is still open. */
  close(): void;
}

interface ConnectionsOptions {
  readonly url: string;
  /** A name that `pg_stat_activity` shows. */
  readonly applicationName: string;
  readonly timers: Timers;
  /** Called with the reason when all connections were discarded. */
  readonly onReplaced?: (reason: string) => void;
  /** True if the address leads to a standby, which only reads. */
  readonly isStandby?: boolean;
}

const statementMs = 30_000;
/** The longest wait for a statement. A server that answers ends the statement earlier. */
export const silenceMs = statementMs + 5000;

/** The default of `patienceMs` in `hurry`. */
const usualHurryMs = 12_000;

const cutOff = (socket: Socket): void => {
  // Over TLS the error has no other listener.
  socket.on('error', () => {});
  socket.destroy(new Error('Connection terminated: the server had not answered'));
};

/** Keeps the sockets of a process's connections, so that they can be cut off. */
const createSockets = () => {
  const opened = new Set<Socket>();
  const ofPools = new WeakSet<Socket>();
  let silence: NodeJS.Timeout | undefined;
  const open = (): Socket => {
    const socket = new Socket();
    opened.add(socket);
    socket.once('close', () => opened.delete(socket));
    return socket;
  };
  return {
    open,
    openOfPool(): Socket {
      const socket = open();
      ofPools.add(socket);
      return socket;
    },
    /** Notes the open sockets, and how many bytes each has received so far. */
    note: (): Heard => new Map([...opened].map((socket) => [socket, socket.bytesRead])),
    /**
     * Cuts off the noted sockets. With `isSilent`, it cuts off only those that have received
     * nothing since.
     */
    cut(noted: Heard, { isSilent }: { readonly isSilent: boolean }): void {
      for (const [socket, bytes] of noted) {
        if (!isSilent || socket.bytesRead === bytes) cutOff(socket);
      }
    },
    /**
     * From now on cuts off sockets of pools that receive nothing for half of `ms`. The first are
     * cut off after `ms`. Other sockets, such as those of heartbeats, may be silent for longer.
     */
    cutSilentOfPools(ms: number): void {
      let noted: Heard = new Map();
      clearInterval(silence);
      silence = setInterval(() => {
        for (const [socket, bytes] of noted) if (socket.bytesRead === bytes) cutOff(socket);
        const ofPool = [...opened].filter((socket) => ofPools.has(socket));
        noted = new Map(ofPool.map((socket) => [socket, socket.bytesRead]));
      }, ms / 2).unref();
    },
    cutAll(): void {
      clearInterval(silence);
      opened.forEach(cutOff);
    },
  };
};

/** Tracks the open pools, to report how much of each is in use. */
const createPoolUses = () => {
  const opened = new Map<Pool, Pick<PoolUse, 'name' | 'size'>>();
  return {
    note: (pool: Pool, known: Pick<PoolUse, 'name' | 'size'>) => void opened.set(pool, known),
    uses: (): PoolUse[] => {
      for (const pool of opened.keys()) if (pool.ended) opened.delete(pool);
      return [...opened].map(([{ totalCount: open, idleCount: idle, waitingCount }, known]) => ({
        ...known,
        open,
        idle,
        waiting: waitingCount,
      }));
    },
  };
};

const poolBase = {
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  query_timeout: silenceMs,
} as const;

const clientBase = {
  connectionTimeoutMillis: 5000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const;

/** Names a connection for `pg_stat_activity`, which shows at most 63 characters. */
const nameOf = (name: string): ClientConfig => ({ application_name: name.slice(0, 63) });

/** Sets the bounds of statements as a session starts. Behind a pooler they are set on the role. */
const boundsOf = (lockWaitMs: number | undefined): ClientConfig => ({
  statement_timeout: statementMs,
  idle_in_transaction_session_timeout: statementMs,
  ...(lockWaitMs !== undefined && { lock_timeout: lockWaitMs }),
});

/** Opens the connections of a process to the database at `url`. */
export const createConnections = (options: ConnectionsOptions): Connections => {
  const { url, applicationName, timers, onReplaced } = options;
  const sockets = createSockets();
  const pooled = isPooled(url);
  const base = { connectionString: url, ...(!pooled && { options: sessionOptions }) };
  const ConnectedClient = clientClassOf(base);
  const watch = createServerWatch({
    createClient: (settings) =>
      new ConnectedClient({ ...base, ...nameOf(`${applicationName} watch`), ...settings }),
    timers,
    isStandby: options.isStandby === true,
    note: sockets.note,
    onGone: (noted, { reason, isSilent }) => {
      sockets.cut(noted, { isSilent });
      onReplaced?.(reason);
    },
  });
  const pools = createPoolUses();
  const stream = (): Socket => {
    watch.start();
    return sockets.open();
  };
  const streamOfPool = (): Socket => {
    watch.start();
    return sockets.openOfPool();
  };

  return {
    openPool({ size, applicationName: name, lockWaitMs, ...given }) {
      const { connectionWaitMs = 5000, onError = () => {} } = given;
      const session = prepareSession(pooled ? { lockWaitMs } : {});
      const config: PoolConfig & { onConnect: typeof session.prepare } = {
        ...base,
        Client: ConnectedClient,
        stream: streamOfPool,
        max: size,
        application_name: name,
        connectionTimeoutMillis: connectionWaitMs,
        ...poolBase,
        ...(!pooled && boundsOf(lockWaitMs)),
        onConnect: session.prepare,
      };
      const pool = new Pool(config);
      pool.on('error', onError);
      pool.on('connect', (client) => client.on('error', onError));
      pool.on('release', (_error, client) => session.release(client));
      pools.note(pool, { name, size });
      return pool;
    },
    isPooled: pooled,
    pools: pools.uses,
    createClient: (name, settings) =>
      new ConnectedClient({ ...base, stream, ...nameOf(name), ...clientBase, ...settings }),
    ask: watch.ask,
    checkWrites: watch.checkWrites,
    checkSession: watch.checkSession,
    hurry(patienceMs = usualHurryMs) {
      watch.hurry();
      sockets.cutSilentOfPools(patienceMs);
    },
    close() {
      watch.stop();
      sockets.cutAll();
    },
  };
};
