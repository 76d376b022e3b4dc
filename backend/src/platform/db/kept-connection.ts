import { Socket } from 'node:net';
import { DatabaseError, type Client, type ClientConfig } from 'pg';

/** The longest wait for an answer or a connection, in milliseconds. */
export const patienceMs = 2000;

/**
 * The result of asking a server whether it accepts writes. `writes` and `reads` are its answers.
 * `refused` means that the server gave a reason for ending the connection, as it then does on every
 * connection. `lost` means that the connection ended without a reason.
 */
export type Answer = 'writes' | 'reads' | 'refused' | 'lost';

export const isReadOnly = async (client: Client): Promise<boolean> => {
  const { rows } = await client.query<{ value: string }>(
    `SELECT current_setting('transaction_read_only') AS value`,
  );
  return rows[0]?.value !== 'off';
};

export const answerOf = async (client: Client): Promise<Answer> => {
  try {
    return (await isReadOnly(client)) ? 'reads' : 'writes';
  } catch (error) {
    return error instanceof DatabaseError ? 'refused' : 'lost';
  }
};

export const drop = (client: Client): void => void client.end().catch(() => {});

/** Opens a connection. `settings` replace some of the usual settings. */
export type CreateClient = (settings: ClientConfig) => Client;

/** Keeps one connection, on which queries run one after another. */
export const createKeptConnection = (createClient: CreateClient) => {
  let opening: Promise<Client> | undefined;
  let lastTurn: Promise<unknown> = Promise.resolve();

  const keep = (next: Promise<Client> | undefined): void => {
    opening = next;
    lastTurn = Promise.resolve();
  };
  const connect = async (): Promise<Client> => {
    const socket = new Socket();
    const client = createClient({
      stream: () => socket,
      connectionTimeoutMillis: patienceMs,
      query_timeout: 2 * patienceMs,
    });
    client.on('error', () => {});
    await client.connect();
    // The connection alone does not keep the process running.
    socket.unref();
    return client;
  };
  const open = (): Promise<Client> => {
    if (opening !== undefined) return opening;
    const connecting = connect();
    keep(connecting);
    const forget = (): void => {
      if (opening === connecting) keep(undefined);
    };
    connecting.then((client) => client.once('end', forget), forget);
    return connecting;
  };
  return {
    connect,
    open,
    async inTurn<T>(work: (client: Client) => Promise<T>): Promise<T> {
      const client = await open();
      const done = lastTurn.then(() => work(client));
      lastTurn = done.catch(() => {});
      return done;
    },
    /** Ends the kept connection and keeps `next` instead. */
    replace(next: Client | undefined): void {
      opening?.then(drop, () => {});
      const keeping = next === undefined ? undefined : Promise.resolve(next);
      keep(keeping);
      next?.once('end', () => {
        if (opening === keeping) keep(undefined);
      });
    },
  };
};
