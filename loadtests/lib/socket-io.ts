/** The meaning of a Socket.IO server's text frame (Engine.IO protocol 4, Socket.IO protocol 5). */
export type Frame =
  | { readonly kind: 'open'; readonly sid: string; readonly pingIntervalMs: number }
  | { readonly kind: 'ping' }
  | { readonly kind: 'joined'; readonly namespace: string }
  | { readonly kind: 'refused'; readonly namespace: string; readonly message: string }
  | { readonly kind: 'left'; readonly namespace: string }
  | {
      readonly kind: 'event';
      readonly namespace: string;
      readonly name: string;
      readonly data: unknown;
    }
  /**
   * A frame that a listener ignores, such as a pong, a close, a noop, an acknowledgement or binary
   * data.
   */
  | { readonly kind: 'other' };

/** The answer that keeps a socket open. */
export const pongFrame = '3';

/** Returns the frame that requests to join a namespace, such as `/price`. */
export const joinFrame = (namespace: string): string => `40${namespace},`;

/** Returns the WebSocket address of a server at `baseUrl` (http or https). */
export const webSocketUrl = (baseUrl: string): string =>
  `${baseUrl.replace(/^http/, 'ws')}/socket.io/?EIO=4&transport=websocket`;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const readOpen = (json: string): Frame => {
  const body: unknown = JSON.parse(json);
  const { sid, pingInterval } = isRecord(body) ? body : {};
  if (typeof sid !== 'string' || typeof pingInterval !== 'number') {
    throw new Error(`not the opening of a Socket.IO server: ${json}`);
  }
  return { kind: 'open', sid, pingIntervalMs: pingInterval };
};

const readEvent = (namespace: string, json: string): Frame => {
  const body: unknown = JSON.parse(json);
  const [name, data]: unknown[] = Array.isArray(body) ? body : [];
  if (typeof name !== 'string') throw new Error(`an event without a name: ${json}`);
  return { kind: 'event', namespace, name, data };
};

const readMessage = (packet: string): Frame => {
  // type, then the namespace unless it is `/`, then the number of an acknowledgement, then JSON
  const parts = /^(\d)(?:(\/[^,]*),)?(?:\d+(?=\[))?(.*)$/s.exec(packet);
  const [, type, namespace = '/', json = ''] = parts ?? [];
  if (type === '0') return { kind: 'joined', namespace };
  if (type === '1') return { kind: 'left', namespace };
  if (type === '2') return readEvent(namespace, json);
  if (type === '4') {
    const body: unknown = JSON.parse(json);
    const message = isRecord(body) ? String(body['message']) : json;
    return { kind: 'refused', namespace, message };
  }
  return { kind: 'other' };
};

/** Reads a text frame. @throws Error if it is not one of these protocols. */
export const readFrame = (text: string): Frame => {
  const type = text.charAt(0);
  if (type === '0') return readOpen(text.slice(1));
  if (type === '2') return { kind: 'ping' };
  if (type === '4') return readMessage(text.slice(1));
  if (/^[1356]$/.test(type)) return { kind: 'other' };
  throw new Error(`not a frame of Engine.IO: ${text.slice(0, 60)}`);
};
