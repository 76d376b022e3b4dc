import { createConnection, createServer, type Socket } from 'node:net';
import { freePort } from '../../dev/stack/free-port.ts';

export interface DroppingPooler {
  readonly url: string;
  close(): Promise<void>;
}

/** The parts of a startup packet that a pooler passes on: the user and the database. */
const passedOn: ReadonlySet<string> = new Set(['user', 'database']);

/** Returns a startup packet without what a connection asks for besides. */
const withoutOptions = (packet: Buffer): Buffer => {
  const texts = packet.subarray(8).toString('utf8').split('\0');
  const kept: string[] = [];
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [name = '', value = ''] = texts.slice(at, at + 2);
    if (passedOn.has(name)) kept.push(name, value);
  }
  const body = Buffer.from(`${kept.join('\0')}\0\0`, 'utf8');
  const head = Buffer.from(packet.subarray(0, 8));
  head.writeInt32BE(body.length + head.length);
  return Buffer.concat([head, body]);
};

/** Stands before a database as a pooler that drops the settings that a connection asks for. */
export const openDroppingPooler = async (url: string): Promise<DroppingPooler> => {
  const target = new URL(url);
  const to = { host: target.hostname, port: Number(target.port || '5432') };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(to);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    }
    near.once('data', (packet: Buffer) => {
      far.write(withoutOptions(packet));
      near.pipe(far).pipe(near);
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // A database's Unix socket would be a way past this one.
  target.searchParams.delete('host');
  target.hostname = '127.0.0.1';
  target.port = String(port);
  return {
    url: target.href,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
