import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';

/**
 * A proxy at `AWAY_PORT` for the database at `DATABASE_PORT`. It holds each answer for `AWAY_MS`,
 * the round trip to a distant database.
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
