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
  /** True if the address leads to a standby, which only reads. */
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

/** Watches the server behind a process's connections, on a separate connection. */
export interface ServerWatch {
  /** Starts the watch. Further calls do nothing. */
  readonly start: () => void;
  readonly ask: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** Rejects if the server takes no writes. */
  readonly checkWrites: () => Promise<void>;
  readonly checkSession: () => Promise<void>;
  /** Stops waiting for a server that does not answer. */
  readonly hurry: () => void;
  readonly stop: () => void;
}

type KeptConnection = ReturnType<typeof createKeptConnection>;

/** The time between two checks of the server, in milliseconds. */
const everyMs = 2000;

/** Creates the check of the server. It keeps the result of a check for the next check. */
const createCheck = (
  kept: KeptConnection,
  { timers, note, onGone, isStandby = false }: Omit<ServerWatchOptions, 'createClient'>,
) => {
  /** The sockets that were open when the server fell silent, and the client that got no answer. */
  let suspect: { readonly noted: Heard; readonly client: Client | undefined } | undefined;

  const withinPatience = (answer: Promise<Answer>): Promise<Answer | undefined> => {
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
   * Opens a second connection and prefers it if the server answers better there. By then, `known`
   * returns a slow answer of the first connection.
   */
  const compare = async (noted: Heard, known: () => Answer | undefined): Promise<void> => {
    const client = await kept.connect();
    const found = await withinPatience(answerOf(client));
    const oldAnswer = known();
    const isRight = found === 'writes' || (isStandby && found === 'reads');
    const isBetter = isRight ? oldAnswer !== found : found === 'reads' && oldAnswer === undefined;
    if (!isBetter) {
      drop(client);
      return;
    }
    kept.replace(client);
    giveUp(noted, oldAnswer === undefined);
  };

  const check = async (): Promise<void> => {
    const noted = note();
    const client = await kept.open().catch((error: unknown) => {
      // A server that refuses is reachable. Its open connections may still work.
      if (!(error instanceof DatabaseError)) fellSilent();
      throw error;
    });
    let known: Answer | undefined;
    const asking = kept.inTurn(answerOf).then((answer) => (known = answer));
    const answer = await withinPatience(asking);
    const isRight = answer === 'writes' || (isStandby && answer === 'reads');
    if (isRight && suspect !== undefined) {
      if (suspect.client === client) suspect = undefined;
      else giveUp(suspect.noted, true);
    }
    if (isRight || answer === 'refused') return;
    if (answer !== 'reads') fellSilent(client);
    if (answer !== 'lost') await compare(suspect?.noted ?? noted, () => known);
  };
  return { check, giveUp };
};

/**
 * Watches the server behind a process's connections with a separate one. TCP takes a quarter of an
 * hour to notice that a server is gone. If the separate connection gets no response and a newer
 * connection gets one, all older connections are discarded. They are also discarded if the old
 * connection is read-only and a new one accepts writes, since the address then leads to another
 * server.
 */
export const createServerWatch = (options: ServerWatchOptions): ServerWatch => {
  const { createClient, note } = options;
  const kept = createKeptConnection(createClient);
  const { check, giveUp } = createCheck(kept, options);
  let timer: NodeJS.Timeout | undefined;
  let isHurried = false;
  let isChecking = false;

  const onFailure = (error: unknown): void => {
    if (isHurried && !(error instanceof DatabaseError)) giveUp(note(), true);
  };
  const checkOnce = (): void => {
    if (isChecking) return;
    isChecking = true;
    void check()
      .catch(onFailure)
      .finally(() => {
        isChecking = false;
      });
  };

  return {
    start() {
      if (timer !== undefined) return;
      timer = setInterval(checkOnce, everyMs).unref();
      checkOnce();
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
      checkOnce();
    },
    stop() {
      clearInterval(timer);
      kept.replace(undefined);
    },
  };
};
