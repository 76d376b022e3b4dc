import type { Socket } from 'node:net';
import { DatabaseError, type Client } from 'pg';
import type { Timers } from '../clock/timers.ts';
import {
  answerOf,
  createKeptConnection,
  drop,
  isReadOnly,
  patienceMs,
  type Answer,
  type CreateClient,
} from './kept-connection.ts';
import { checkSession } from './session.ts';

/** The sockets that were open at a moment, with the bytes that each had received by then. */
export type Heard = ReadonlyMap<Socket, number>;

interface ServerWatchOptions {
  readonly createClient: CreateClient;
  readonly timers: Timers;
  /** A server that only reads is the right one. */
  readonly isStandby?: boolean;
  readonly note: () => Heard;
  /**
   * Cuts off the noted sockets. With `isSilent`, it cuts off only those that have received nothing
   * since.
   */
  readonly onGone: (
    noted: Heard,
    why: { readonly reason: string; readonly isSilent: boolean },
  ) => void;
}

/** The server behind a process's connections, queried on a separate connection. */
export interface ServerWatch {
  /** Begins to watch. Again it does nothing. */
  readonly start: () => void;
  readonly ask: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** Rejects if the server takes no writes. */
  readonly checkWrites: () => Promise<void>;
  readonly checkSession: () => Promise<void>;
  /** From now on, a server that does not answer is not waited for. */
  readonly hurry: () => void;
  readonly stop: () => void;
}

type KeptConnection = ReturnType<typeof createKeptConnection>;

/** The pause between two questions to the server, in milliseconds. */
const everyMs = 2000;

/** Creates the look at the server, and keeps what one look has found for the next. */
const createLook = (
  kept: KeptConnection,
  { timers, note, onGone, isStandby = false }: Omit<ServerWatchOptions, 'createClient'>,
) => {
  /** The sockets that were open when the server fell silent, and the client that got no answer. */
  let suspect: { readonly noted: Heard; readonly client: Client | undefined } | undefined;

  const within = (answer: Promise<Answer>): Promise<Answer | undefined> => {
    const patience = new AbortController();
    const silence = timers.sleep(patienceMs, patience.signal).then(() => undefined);
    return Promise.race([answer, silence]).finally(() => patience.abort());
  };
  const giveUp = (noted: Heard, isSilent: boolean): void => {
    suspect = undefined;
    const reason = isSilent ? 'the server had not answered' : 'the server took no writes';
    onGone(noted, { reason, isSilent });
  };

  /** Notes the open sockets. A socket that was noted before keeps its earlier number of bytes. */
  const fellSilent = (client?: Client): void => {
    const noted = new Map([...note(), ...(suspect?.noted ?? [])]);
    suspect = { noted, client: suspect?.client ?? client };
  };

  /**
   * Opens a second connection. By the time that it is open, a slow response has arrived as `known`.
   */
  const compare = async (noted: Heard, known: () => Answer | undefined): Promise<void> => {
    const client = await kept.connect();
    const found = await within(answerOf(client));
    const old = known();
    const isRight = found === 'writes' || (isStandby && found === 'reads');
    const isBetter = isRight ? old !== found : found === 'reads' && old === undefined;
    if (!isBetter) {
      drop(client);
      return;
    }
    kept.replace(client);
    giveUp(noted, old === undefined);
  };

  const look = async (): Promise<void> => {
    const noted = note();
    const client = await kept.open().catch((error: unknown) => {
      // A server that refuses is there. Its open connections may be well.
      if (!(error instanceof DatabaseError)) fellSilent();
      throw error;
    });
    let known: Answer | undefined;
    const asking = kept.inTurn(answerOf).then((answer) => (known = answer));
    const answer = await within(asking);
    const isRight = answer === 'writes' || (isStandby && answer === 'reads');
    if (isRight && suspect !== undefined) {
      if (suspect.client === client) suspect = undefined;
      else giveUp(suspect.noted, true);
    }
    if (isRight || answer === 'refused') return;
    if (answer !== 'reads') fellSilent(client);
    if (answer !== 'lost') await compare(suspect?.noted ?? noted, () => known);
  };
  return { look, giveUp };
};

/**
 * Watches the server behind a process's connections with a separate one. TCP takes a quarter of an
 * hour to notice that a server is gone. If the separate connection gets no response, and a newer
 * connection does, all older connections are discarded. They are also discarded if the old
 * connection is read-only and a new one accepts writes, since the address then leads to another
 * server.
 */
export const createServerWatch = (options: ServerWatchOptions): ServerWatch => {
  const { createClient, note } = options;
  const kept = createKeptConnection(createClient);
  const { look, giveUp } = createLook(kept, options);
  let timer: NodeJS.Timeout | undefined;
  let isHurried = false;
  let isLooking = false;

  const failed = (error: unknown): void => {
    if (isHurried && !(error instanceof DatabaseError)) giveUp(note(), true);
  };
  const lookOnce = (): void => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(failed)
      .finally(() => {
        isLooking = false;
      });
  };

  return {
    start() {
      if (timer !== undefined) return;
      timer = setInterval(lookOnce, everyMs).unref();
      lookOnce();
    },
    ask: <Row extends object>(text: string, values: readonly unknown[] = []) =>
      kept.inTurn(async (client) => (await client.query<Row>(text, [...values])).rows),
    checkWrites: () =>
      kept.inTurn(async (client) => {
        if (await isReadOnly(client)) throw new Error('the database takes no writes');
      }),
    checkSession: () => kept.inTurn(checkSession),
    hurry() {
      isHurried = true;
      lookOnce();
    },
    stop() {
      clearInterval(timer);
      kept.replace(undefined);
    },
  };
};
