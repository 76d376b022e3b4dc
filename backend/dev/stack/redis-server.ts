import { mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { startServer } from './start-server.ts';

interface RedisOptions {
  /** The path of a redis-server, see find-redis.ts. */
  readonly binary: string;
  readonly port: number;
  /** The folder of its data. */
  readonly folder: string;
  readonly logFile: string;
  /** False for tests, which write nothing to disk. */
  readonly durable: boolean;
  /** Receives the pid at once, so that an interrupted start leaves no unknown Redis behind. */
  readonly onStarted?: (pid: number) => void;
}

/** Starts a Redis on loopback and waits until it answers. @throws Error with its last output. */
export const startRedis = async (options: RedisOptions): Promise<{ readonly pid: number }> => {
  mkdirSync(options.folder, { recursive: true });
  const args = ['--port', String(options.port), '--bind', '127.0.0.1', '--dir', options.folder];
  args.push('--daemonize', 'no', '--appendonly', 'no', '--save', options.durable ? '60 1' : '');
  return startServer({
    name: 'Redis',
    command: options.binary,
    args,
    logFile: options.logFile,
    isReady: async (pid) => (await findRedisPid(options.port)) === pid,
    timeoutMs: 60_000,
    ...(options.onStarted === undefined ? {} : { onStarted: options.onStarted }),
  });
};

/** Returns the pid of the Redis that answers on the port, or undefined if there is none. */
export const findRedisPid = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    const answer = (pid: number | undefined): void => {
      socket.destroy();
      resolve(pid);
    };
    let text = '';
    socket.setTimeout(2000, () => answer(undefined));
    socket.once('error', () => answer(undefined));
    socket.on('data', (data) => {
      text += data.toString('latin1');
      const pid = /^process_id:(\d+)\r$/mu.exec(text)?.[1];
      if (pid !== undefined) answer(Number(pid));
      else if (!text.startsWith('$')) answer(undefined);
    });
    socket.write('INFO server\r\n');
  });
