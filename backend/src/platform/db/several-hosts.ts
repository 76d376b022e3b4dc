import { Client, type ClientConfig } from 'pg';
import { hostsOf, type StoreHost } from '../config/several-hosts.ts';
import { answerOf, drop, patienceMs } from './kept-connection.ts';

/** For so long a server that took writes is connected to without another look, in milliseconds. */
const knownForMs = 1000;

/**
 * Queries a host on a separate connection.
 * @throws Error if it takes no writes
 */
const requireWrites = async (settings: ClientConfig, at: StoreHost): Promise<StoreHost> => {
  const client = new Client({
    ...settings,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  client.on('error', () => {});
  Object.assign(client, at);
  try {
    await client.connect();
    if ((await answerOf(client)) === 'writes') return at;
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
  let looked: { readonly at: number; readonly found: Promise<StoreHost> } | undefined;
  const look = async (): Promise<StoreHost> => {
    try {
      return await Promise.any(hosts.map((host) => requireWrites(settings, host)));
    } catch (cause) {
      const why = "Connection terminated: none of the database's hosts takes writes";
      throw new Error(why, { cause });
    }
  };
  return (): Promise<StoreHost> => {
    if (looked === undefined || performance.now() - looked.at > knownForMs) {
      const begun = { at: Number.POSITIVE_INFINITY, found: look() };
      looked = begun;
      const end = (isFound: boolean): void => {
        if (looked !== begun) return;
        looked = isFound ? { ...begun, at: performance.now() } : undefined;
      };
      begun.found.then(
        () => end(true),
        () => end(false),
      );
    }
    return looked.found;
  };
};

const isGivenUp = ({ connection }: Client): boolean => {
  const stream: unknown = Reflect.get(connection, 'stream');
  return typeof stream === 'object' && stream !== null && Reflect.get(stream, 'destroyed') === true;
};

/** The driver's own callback: without an error it is null. */
type Connected = (error: Error | null, client?: Client) => void;

/** Reports the result of a connection in the driver's way. It never throws. */
const tell = async (connected: Promise<Client>, done: Connected): Promise<void> => {
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
    const at = await choose();
    // The caller may have stopped waiting for it.
    if (isGivenUp(client)) throw new Error('Connection terminated: it was not waited for');
    Object.assign(client, at);
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
        void tell(connected, callback);
        return undefined;
      });
    }
  };
};

/** Opens a connection to an address, with one host or several, outside any pool. */
export const createClient = (settings: ClientConfig): Client =>
  new (clientClassOf(settings))(settings);
