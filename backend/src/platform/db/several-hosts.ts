import { Client, type ClientConfig } from 'pg';
import { hostsOf, type StoreHost } from '../config/several-hosts.ts';
import { answerOf, drop, patienceMs } from './kept-connection.ts';

/**
 * The time, in milliseconds, for which a host that accepted writes is used without another check.
 */
const knownForMs = 1000;

/**
 * Queries a host on a separate connection.
 * @throws Error if the host takes no writes
 */
const requireWrites = async (settings: ClientConfig, host: StoreHost): Promise<StoreHost> => {
  const client = new Client({
    ...settings,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  client.on('error', () => {});
  Object.assign(client, host);
  try {
    await client.connect();
    if ((await answerOf(client)) === 'writes') return host;
  } finally {
    drop(client);
  }
  throw new Error('it takes no writes');
};

/**
 * Creates the search for the host that accepts writes. Callers within a second of a result, or
 * during a search, get the same result.
 */
const createChoice = (settings: ClientConfig, hosts: readonly StoreHost[]) => {
  let latest: { readonly foundAt: number; readonly found: Promise<StoreHost> } | undefined;
  const searchHosts = async (): Promise<StoreHost> => {
    try {
      return await Promise.any(hosts.map((host) => requireWrites(settings, host)));
    } catch (cause) {
      const why = "Connection terminated: none of the database's hosts takes writes";
      throw new Error(why, { cause });
    }
  };
  return (): Promise<StoreHost> => {
    if (latest === undefined || performance.now() - latest.foundAt > knownForMs) {
      const search = { foundAt: Number.POSITIVE_INFINITY, found: searchHosts() };
      latest = search;
      const end = (isFound: boolean): void => {
        if (latest !== search) return;
        latest = isFound ? { ...search, foundAt: performance.now() } : undefined;
      };
      search.found.then(
        () => end(true),
        () => end(false),
      );
    }
    return latest.found;
  };
};

const isGivenUp = ({ connection }: Client): boolean => {
  const stream: unknown = Reflect.get(connection, 'stream');
  return typeof stream === 'object' && stream !== null && Reflect.get(stream, 'destroyed') === true;
};

/** The driver's own callback: without an error it is null. */
type Connected = (error: Error | null, client?: Client) => void;

/** Reports the result of a connection in the driver's way. It never throws. */
const report = async (connected: Promise<Client>, done: Connected): Promise<void> => {
  const found = await connected.catch((error: unknown) => error);
  if (found instanceof Client) done(null, found);
  else done(found instanceof Error ? found : new Error(String(found)));
};

/**
 * Returns the class of the connections to an address. If the address names several hosts, each
 * connection leads to the host that takes writes at that moment, as libpq's
 * `target_session_attrs=read-write` does, and its certificate is checked against that host's name.
 */
export const clientClassOf = (settings: ClientConfig): typeof Client => {
  const hosts = hostsOf(settings.connectionString ?? '');
  if (hosts.length === 0) return Client;
  const choose = createChoice(settings, hosts);
  const connectTo = async (client: Client, connect: () => Promise<unknown>): Promise<Client> => {
    const host = await choose();
    // The caller may have stopped waiting for the connection.
    if (isGivenUp(client)) throw new Error('Connection terminated: it was not waited for');
    Object.assign(client, host);
    await connect();
    return client;
  };
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      const connect = this.connect.bind(this);
      Reflect.set(this, 'connect', (callback?: Connected): unknown => {
        const connected = connectTo(this, () => connect());
        if (callback === undefined) return connected;
        void report(connected, callback);
        return undefined;
      });
    }
  };
};

/** Opens a connection to an address, with one host or several, outside any pool. */
export const createClient = (settings: ClientConfig): Client =>
  new (clientClassOf(settings))(settings);
