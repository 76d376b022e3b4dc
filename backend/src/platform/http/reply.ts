import type { Writable } from 'node:stream';

/**
 * The stream of a reply that is sent while it is being made. Headers can be set until the first
 * byte.
 */
export interface ReplySink extends Writable {
  setHeader(name: string, value: string): unknown;
}

/** The result of a handler. The kernel serialises it. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Contains `body` as JSON, if it is already serialised. */
  readonly json?: string;
  /** The bytes of the body, which are JSON or of a type that the route `produces`. */
  readonly bytes?: Buffer;
  /**
   * Writes the body while it is being made, in place of `body`. An error before the first byte is
   * answered like any other error. After the first byte it cuts the connection, so that a client
   * never takes a part for the whole. `gone` aborts when the client has left.
   */
  readonly write?: (to: ReplySink, gone: AbortSignal) => Promise<void>;
}

/** Replies 200 with `body`. */
export const ok = (body: unknown): Reply => ({ status: 200, body });

/** Replies 200 with `body`, serialised once. It is for an answer that many requests get. */
export const shared = (body: unknown): Reply => ({
  status: 200,
  body,
  json: JSON.stringify(body),
});

/**
 * Replies 200 with `body`, kept only as bytes. It is for many different answers that stay in
 * memory.
 */
export const writtenOut = (body: unknown): Reply => {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    status: 200,
    get body(): unknown {
      return JSON.parse(bytes.toString());
    },
    bytes,
  };
};

/** Replies 201 with `body`, the new resource. */
export const created = (body: unknown): Reply => ({ status: 201, body });

/** Replies 200 with `idempotent-replayed: true`, for the original result of a repeated request. */
export const replayed = (body: unknown): Reply => ({
  status: 200,
  body,
  headers: { 'idempotent-replayed': 'true' },
});

/** Replies 204. */
export const noContent = (): Reply => ({ status: 204 });
