import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/app-error.ts';
import { usualShape } from './json-body.ts';
import type { ShapeLimits } from './scan-json.ts';

/** The limits of request bodies (contract: limits > Sizes). */
export interface BodyLimits extends ShapeLimits {
  /** The limit of a body, unless its route has another. */
  readonly bytes: number;
  /** The limit of a webhook's body. */
  readonly webhookBytes: number;
  /** The time that a body has to arrive, in real milliseconds. */
  readonly timeoutMs: number;
  /** The limit of the bytes of all bodies that are being read in this process. */
  readonly memoryBytes: number;
}

export const usualBodyLimits: BodyLimits = {
  ...usualShape,
  bytes: 2 * 1024 * 1024,
  webhookBytes: 256 * 1024,
  timeoutMs: 20_000,
  memoryBytes: 32 * 1024 * 1024,
};

/** A bound of bodies, as the metric names it. */
export type BodyBound = 'body_encoding' | 'body_memory' | 'body_size' | 'body_time';

interface BodyReaderOptions {
  readonly limits: Pick<BodyLimits, 'timeoutMs' | 'memoryBytes'>;
  readonly onBound?: ((bound: BodyBound) => void) | undefined;
}

/** Reads the bodies of a process within its bounds. */
export interface BodyReader {
  /**
   * Reads the exact bytes of the body, or empty bytes if there is none. Their memory counts towards
   * the share of `client`.
   * @throws AppError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, BODY_TIMEOUT, BUSY, and
   * MALFORMED_JSON if the client left in the middle
   */
  read(req: IncomingMessage, client: string, limitBytes: number): Promise<Buffer>;
  /** The bytes that bodies hold while they are read. */
  readonly heldBytes: number;
}

const noBytes = Buffer.alloc(0);
const retryAfterSeconds = 2;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Returns true for a compressed body. Such a body is refused, since a few bytes of a stranger could
 * unpack to megabytes.
 */
const isEncoded = ({ headers }: IncomingMessage): boolean => {
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding.trim().toLowerCase() !== 'identity';
};

/** Counts the bytes that bodies hold, in total and for each client. */
const createMemory = (maxBytes: number) => {
  // A single client must not keep the others out. Half of the memory is enough for any allowed
  // body.
  const maxOfClient = maxBytes / 2;
  const byClient = new Map<string, number>();
  let held = 0;
  return {
    get held() {
      return held;
    },
    fits: (client: string, bytes: number): boolean =>
      held + bytes <= maxBytes && (byClient.get(client) ?? 0) + bytes <= maxOfClient,
    add(client: string, bytes: number): void {
      held += bytes;
      const own = (byClient.get(client) ?? 0) + bytes;
      if (own > 0) byClient.set(client, own);
      else byClient.delete(client);
    },
  };
};

type Memory = ReturnType<typeof createMemory>;

/**
 * Collects the parts of a body in one piece of memory, whose size is counted. A list of parts of
 * one byte would take a hundred times the memory of its content.
 */
const createCollector = (memory: Memory, client: string, limitBytes: number) => {
  let buffer: Buffer = noBytes;
  let length = 0;
  const grow = (needed: number): boolean => {
    const size = Math.max(needed, Math.min(2 * buffer.length, limitBytes));
    if (!memory.fits(client, size - buffer.length)) return false;
    memory.add(client, size - buffer.length);
    const larger = Buffer.allocUnsafe(size);
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
    return true;
  };
  return {
    /** Adds a part. Returns the exceeded limit if the part can't be kept. */
    add(part: Buffer): 'body_size' | 'body_memory' | undefined {
      const needed = length + part.length;
      if (needed > limitBytes) return 'body_size';
      if (needed > buffer.length && !grow(needed)) return 'body_memory';
      part.copy(buffer, length);
      length = needed;
      return undefined;
    },
    bytes: (): Buffer => buffer.subarray(0, length),
    release: (): void => memory.add(client, -buffer.length),
  };
};

const refusals: Readonly<Record<BodyBound, () => AppError>> = {
  body_encoding: () =>
    new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'The request body must not be compressed.' }),
  body_memory: () => new AppError('BUSY', { retryAfterSeconds }),
  body_size: () => new AppError('PAYLOAD_TOO_LARGE'),
  body_time: () => new AppError('BODY_TIMEOUT', { headers: { connection: 'close' } }),
};

/** Returns the limit that a body exceeds according to its headers. */
const boundOf = (
  req: IncomingMessage,
  { memory, client, limitBytes }: { memory: Memory; client: string; limitBytes: number },
): BodyBound | undefined => {
  if (isEncoded(req)) return 'body_encoding';
  const declared = Number(req.headers['content-length'] ?? 1);
  if (declared > limitBytes) return 'body_size';
  return memory.fits(client, declared) ? undefined : 'body_memory';
};

/** Creates the reader of a process's bodies. */
export const createBodyReader = ({ limits, onBound }: BodyReaderOptions): BodyReader => {
  const memory = createMemory(limits.memoryBytes);
  const refuse = (bound: BodyBound): AppError => {
    onBound?.(bound);
    return refusals[bound]();
  };

  const collect = (req: IncomingMessage, client: string, limitBytes: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const collector = createCollector(memory, client, limitBytes);
      const finish = (): void => {
        clearTimeout(timer);
        req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
        collector.release();
      };
      const fail = (error: AppError): void => {
        finish();
        // Later bytes are discarded, so that the client can read the answer.
        req.on('error', () => undefined).resume();
        reject(error);
      };
      const onData = (part: Buffer): void => {
        const bound = collector.add(part);
        if (bound !== undefined) fail(refuse(bound));
      };
      const onEnd = (): void => {
        finish();
        resolve(collector.bytes());
      };
      const onClose = (): void => fail(new AppError('MALFORMED_JSON'));
      const timer = setTimeout(() => fail(refuse('body_time')), limits.timeoutMs);
      req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    });

  return {
    async read(req, client, limitBytes) {
      if (!hasBody(req)) return noBytes;
      const bound = boundOf(req, { memory, client, limitBytes });
      if (bound !== undefined) throw refuse(bound);
      return collect(req, client, limitBytes);
    },
    get heldBytes() {
      return memory.held;
    },
  };
};

/** The time in which a client may read its answer before the rest of its body is cut off. */
const lingerMs = 2000;

/**
 * Closes the connection of a request that was answered before its body had arrived. Reading the
 * rest of the body would be useless work, and the body may never end.
 */
export const closeUnread = (req: IncomingMessage, response: NodeJS.EventEmitter): void => {
  if (!hasBody(req)) return;
  response.once('finish', () => {
    if (req.complete) return;
    setTimeout(() => {
      if (!req.complete) req.socket.destroy();
    }, lingerMs).unref();
  });
};
