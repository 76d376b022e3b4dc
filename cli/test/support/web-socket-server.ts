import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The server's end of one WebSocket connection, as far as a Kubernetes API server uses it. */
export interface ServerSocket {
  send(bytes: Buffer): void;
  close(): void;
  /** Cuts the connection without a word. */
  cut(): void;
  onMessage(take: (bytes: Buffer) => void): void;
  onClose(take: () => void): void;
}

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const frame = (opcode: number, payload: Buffer): Buffer => {
  const first = 0x80 | opcode;
  if (payload.length < 126) return Buffer.concat([Buffer.of(first, payload.length), payload]);
  if (payload.length < 65_536) {
    const head = Buffer.of(first, 126, 0, 0);
    head.writeUInt16BE(payload.length, 2);
    return Buffer.concat([head, payload]);
  }
  const head = Buffer.alloc(10);
  head.writeUInt8(first, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
};

interface Frame {
  readonly isLast: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  readonly size: number;
}

/** Reads the first whole frame of a client (clients always mask), or undefined while incomplete. */
const readFrame = (bytes: Buffer): Frame | undefined => {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskAt = 2 + lengthBytes;
  if (bytes.length < maskAt + 4) return undefined;
  const length =
    lengthBytes === 0
      ? short
      : lengthBytes === 2
        ? bytes.readUInt16BE(2)
        : Number(bytes.readBigUInt64BE(2));
  const start = maskAt + 4;
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(maskAt, start);
  const payload = Buffer.from(bytes.subarray(start, start + length));
  for (const [index, byte] of payload.entries()) {
    payload[index] = byte ^ (mask[index % 4] ?? 0);
  }
  const first = bytes.readUInt8(0);
  return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, payload, size: start + length };
};

/** Accepts an upgrade with one of the client's protocols. */
export const acceptWebSocket = (
  request: IncomingMessage,
  socket: Duplex,
  protocol: string,
): ServerSocket => {
  const key = request.headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}${magic}`).digest('base64');
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  let pending: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let take: ((bytes: Buffer) => void) | undefined;
  const handle = ({ opcode, payload, isLast }: Frame): void => {
    if (opcode === opcodes.close) socket.end(frame(opcodes.close, payload));
    else if (opcode === opcodes.ping) socket.write(frame(opcodes.pong, payload));
    else if (opcode !== opcodes.pong) {
      parts.push(payload);
      if (!isLast) return;
      take?.(Buffer.concat(parts));
      parts = [];
    }
  };
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    for (let next = readFrame(pending); next !== undefined; next = readFrame(pending)) {
      pending = pending.subarray(next.size);
      handle(next);
    }
  });
  socket.on('error', () => undefined);
  return {
    send: (bytes) => void socket.write(frame(opcodes.binary, bytes)),
    close: () => void socket.end(frame(opcodes.close, Buffer.of(0x03, 0xe8))),
    cut: () => void socket.destroy(),
    onMessage: (handler) => {
      take = handler;
    },
    onClose: (handler) => void socket.on('close', handler),
  };
};
