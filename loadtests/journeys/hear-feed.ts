import { clearTimeout, setTimeout } from 'k6/timers';
import { WebSocket } from 'k6/websockets';
import {
  hasMoved,
  latenessMs,
  marksToHear,
  stepsOf,
  ticksOfMarks,
  type HeardTick,
} from '../lib/feed-log.ts';
import { isFresh, readPriceMessage } from '../lib/price-message.ts';
import { joinFrame, pongFrame, readFrame, webSocketUrl, type Frame } from '../lib/socket-io.ts';
import type { Observation } from '../thresholds/price-cadence.ts';

interface HearFeedOptions {
  readonly baseUrl: string;
  /** The headers that the proxy hop adds for this client, or none where the hop is a real one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tickMs: number;
  /** Marks to wait for. */
  readonly marks: number;
  /** Time after a mark in which its tick may arrive. */
  readonly patienceMs: number;
  /** The amounts need not change while a socket listens. */
  readonly priceMayStand: boolean;
  /** Real time in ms, of which the marks are. */
  readonly now: () => number;
  readonly observe: (name: Observation, holds: boolean) => void;
  readonly observeLateness: (ms: number) => void;
  readonly observeTick: (tick: HeardTick) => void;
  readonly observeJoin: (ms: number) => void;
  /** The socket listened to the end. */
  readonly onFinished: () => void;
}

const namespace = '/price';
/** A socket that has not joined by then never will. */
const joinTimeoutMs = 30_000;

/**
 * k6 drops a message that arrives before its own event of the open socket: now and then the first
 * frame of the server, which a client answers. It is answered all the same after this time.
 */
const firstFrameMs = 1000;

/** Returns true for the frame of an event: one of a packet `2` in a message `4`. */
const isEvent = (text: string): boolean => text.startsWith('42');

/** The messages that one socket has received. */
interface Heard {
  marks: readonly number[];
  /** The seq of each, where it can be held against the first tick. */
  readonly snapshots: (number | undefined)[];
  readonly ticks: HeardTick[];
}

const judge = (heard: Heard, isHeld: boolean, options: HearFeedOptions): void => {
  const { observe, tickMs } = options;
  observe('feed_held', isHeld);
  observe('feed_snapshot', heard.snapshots.length === 1);
  for (const count of ticksOfMarks(heard.marks, heard.ticks, tickMs)) {
    observe('feed_mark_heard', count > 0);
    observe('feed_mark_once', count < 2);
  }
  const isMoving = hasMoved(heard.ticks);
  if (isMoving !== undefined && !options.priceMayStand) observe('feed_price_moves', isMoving);
  for (const step of stepsOf(heard.snapshots[0], heard.ticks)) {
    observe('feed_no_gap', step !== 'gap');
    observe('feed_no_repeat', step !== 'repeat');
  }
};

const takeEvent = (
  { name, data }: { readonly name: string; readonly data: unknown },
  atMs: number,
  heard: Heard,
  options: HearFeedOptions,
): void => {
  if (name !== 'price_snapshot' && name !== 'price_update') return;
  const { tickMs, patienceMs, observe, observeLateness } = options;
  const message = readPriceMessage(data);
  observe('feed_message_valid', message !== undefined);
  if (message !== undefined) observe('feed_spread_right', message.hasRightSpread);
  if (name === 'price_snapshot') {
    // A tick that others have overtaken on its way shows nothing about the first of them.
    heard.snapshots.push(heard.ticks.length === 0 ? message?.seq : undefined);
    return;
  }
  observeLateness(latenessMs(atMs, tickMs));
  if (message === undefined) return;
  observe('feed_price_fresh', isFresh(message, atMs, patienceMs));
  const tick = { seq: message.seq, amounts: message.amounts, atMs };
  heard.ticks.push(tick);
  options.observeTick(tick);
};

/** Bounds how much of a tick after it came a message is read. */
const readAfter = { earliest: 0.05, latest: 0.3 };

/**
 * Keeps the messages of a socket with the time at which they came, and reads them when all sockets
 * have theirs: reading would take the processor that the others need to hear, and would show as
 * their lateness.
 */
const createInbox = (tickMs: number, read: (text: string, atMs: number) => void) => {
  let waiting: (readonly [text: string, atMs: number])[] = [];
  const readAll = (): void => {
    const messages = waiting;
    waiting = [];
    for (const [text, atMs] of messages) read(text, atMs);
  };
  return {
    readAll,
    keep(text: string, atMs: number): void {
      waiting.push([text, atMs]);
      if (waiting.length > 1) return;
      const { earliest, latest } = readAfter;
      setTimeout(readAll, tickMs * (earliest + Math.random() * (latest - earliest)));
    },
  };
};

/**
 * One socket: joins the feed, listens until the last of its marks is over, leaves, and judges what
 * it heard. Returns at once. The iteration lasts as long as the socket.
 */
export const hearFeed = (options: HearFeedOptions): void => {
  const { now, observe } = options;
  const heard: Heard = { marks: [], snapshots: [], ticks: [] };
  const startedAtMs = now();
  const socket = new WebSocket(webSocketUrl(options.baseUrl), null, {
    headers: { ...options.headers },
  });
  let isOver = false;

  const inbox = createInbox(options.tickMs, (text, atMs) => {
    const frame = readFrame(text);
    if (frame.kind === 'event') takeEvent(frame, atMs, heard, options);
  });

  const finish = (isHeld: boolean): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(joinTimer);
    inbox.readAll();
    if (heard.marks.length === 0) observe('feed_joined', false);
    else judge(heard, isHeld, options);
    if (isHeld) options.onFinished();
    socket.close();
  };
  const joinTimer = setTimeout(() => finish(false), joinTimeoutMs);

  const join = (): void => {
    clearTimeout(joinTimer);
    observe('feed_joined', true);
    options.observeJoin(now() - startedAtMs);
    heard.marks = marksToHear(now(), options.tickMs, options.marks);
    const leaveAtMs = (heard.marks.at(-1) ?? now()) + options.patienceMs;
    setTimeout(() => finish(true), leaveAtMs - now());
  };

  let hasRequested = false;
  const requestJoin = (): void => {
    if (hasRequested || isOver) return;
    hasRequested = true;
    socket.send(joinFrame(namespace));
  };

  const handle = (frame: Frame): void => {
    if (frame.kind === 'open') requestJoin();
    else if (frame.kind === 'ping') socket.send(pongFrame);
    else if (frame.kind === 'joined') join();
    else if (frame.kind === 'refused' || frame.kind === 'left') finish(false);
  };

  // The types name the events of addEventListener by an enum that k6 itself does not have.
  /* oxlint-disable unicorn/prefer-add-event-listener */
  socket.onopen = () => {
    setTimeout(requestJoin, firstFrameMs);
  };
  socket.onmessage = (event) => {
    if (isOver || typeof event?.data !== 'string') return;
    if (isEvent(event.data)) inbox.keep(event.data, event.timestamp);
    else handle(readFrame(event.data));
  };
  socket.onerror = () => finish(false);
  socket.onclose = () => finish(false);
};
