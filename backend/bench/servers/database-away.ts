import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';

/**
 * Stands before the database of `DATABASE_PORT` at `AWAY_PORT`, as far away as `AWAY_MS` for the way
 * there and back: each answer is held for so long.
 */
const [port, databasePort, awayPort, awayMs] = [
  'PORT',
  'DATABASE_PORT',
  'AWAY_PORT',
  'AWAY_MS',
].map((name) => Number(process.env[name]));

const proxy = createTcpServer({ noDelay: true }, (client) => {
  const server = connect({ host: '127.0.0.1', port: databasePort ?? 0, noDelay: true });
  client.pipe(server);
  server.on('data', (chunk) => {
    setTimeout(() => client.write(chunk), awayMs);
  });
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) socket.on('close', end).on('error', end);
});
proxy.listen(awayPort, '127.0.0.1', () => {
  createServer((_req, res) => res.end('ok')).listen(port, '127.0.0.1');
});
