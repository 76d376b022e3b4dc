import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { RedisSentinel } from '../../src/platform/redis/index.ts';

interface FakeSentinel {
  readonly sentinel: RedisSentinel;
  /** Answers no question for the master any more. Returns what lets the held ones through. */
  hold(): () => void;
  /** The questions that are held. */
  held(): number;
  /** The connections that hear of a new master. */
  listeners(): number;
  /** Tells all listeners that the master is another one. */
  tellOfNewMaster(): void;
  close(): Promise<void>;
}

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const array = (...texts: readonly string[]): string =>
  `*${texts.length}\r\n${texts.map(bulk).join('')}`;

/** Splits what a client sent at once into its commands, each an array of words. */
const commandsOf = (text: string): string[][] =>
  text
    .split(/^\*\d+\r\n/mu)
    .filter((command) => command !== '')
    .map((command) =>
      command.split('\r\n').filter((line, index) => index % 2 === 1 && line !== ''),
    );

/** Starts a Sentinel that names one master, and whose answers a test can hold. */
export const startFakeSentinel = async (masterPort: number): Promise<FakeSentinel> => {
  const sockets = new Set<Socket>();
  const listeners = new Set<Socket>();
  let waiting: (() => void)[] | undefined;
  const answer = (socket: Socket, words: readonly string[]): void => {
    const command = words.join(' ').toLowerCase();
    if (command.startsWith('subscribe')) {
      listeners.add(socket);
      socket.write(`*3\r\n${bulk('subscribe')}${bulk(words[1] ?? '')}:1\r\n`);
    } else if (command.startsWith('sentinel get-master-addr-by-name')) {
      const name = () => void socket.write(array('127.0.0.1', String(masterPort)));
      if (waiting === undefined) name();
      else waiting.push(name);
    } else if (command.startsWith('sentinel')) socket.write('*0\r\n');
    // It speaks the older protocol alone.
    else if (command.startsWith('hello')) socket.write("-ERR unknown command 'HELLO'\r\n");
    else socket.write('+OK\r\n');
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      listeners.delete(socket);
    });
    socket.on('data', (bytes) => {
      for (const words of commandsOf(bytes.toString())) answer(socket, words);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return {
    sentinel: { host: '127.0.0.1', port: address.port },
    hold() {
      const held: (() => void)[] = [];
      waiting = held;
      return () => {
        waiting = undefined;
        for (const name of held) name();
      };
    },
    held: () => waiting?.length ?? 0,
    listeners: () => listeners.size,
    tellOfNewMaster() {
      const [was, is] = [masterPort + 1, masterPort];
      const news = `gold 127.0.0.1 ${was} 127.0.0.1 ${is}`;
      for (const socket of listeners) socket.write(array('message', '+switch-master', news));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
