import { Socket } from 'node:net';
import { DatabaseError, type Client, type ClientConfig } from 'pg';

/** The time for which an answer, or a connection, is waited for. */
export const patienceMs = 2000;

/**
 * How a question ended: `writes` and `reads` were answered, `refused` is a server that says why it
 * ends the connection, as it then does on each of them, and `lost` has no such word.
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
  let turn: Promise<unknown> = Promise.resolve();

  const keep = (next: Promise<Client> | undefined): void => {
    opening = next;
    turn = Promise.resolve();
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
    // It holds up no process that has nothing else to do.
    socket.unref();
    return client;
  };
  const open = (): Promise<Client> => {
    if (opening !== undefined) return opening;
    const begun = connect();
    keep(begun);
    const forget = (): void => {
      if (opening === begun) keep(undefined);
    };
    begun.then((client) => client.once('end', forget), forget);
    return begun;
  };
  return {
    connect,
    open,
    async inTurn<T>(work: (client: Client) => Promise<T>): Promise<T> {
      const client = await open();
      const done = turn.then(() => work(client));
      turn = done.catch(() => {});
      return done;
    },
    /** Replaces the kept connection by `next`, and ends it. */
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
