import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { isReachable } from './is-reachable.ts';

const startServer = async (): Promise<{ port: number; hosts: (string | undefined)[] }> => {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, hosts };
};

it('takes any answer for one', async () => {
  const { port } = await startServer();
  expect(await isReachable(`http://127.0.0.1:${port}`, {})).toBe(true);
});

it('looks for a host at the address that is given for it, by its own name', async () => {
  const { port, hosts } = await startServer();
  const given = { 'customer.example.test': `127.0.0.1:${port}` };
  expect(await isReachable('http://customer.example.test', given)).toBe(true);
  expect(hosts).toEqual(['customer.example.test']);
});

it('says no where nobody listens', async () => {
  // Not the port of a server that was closed: another process may have taken it since.
  expect(await isReachable('http://127.0.0.1:1', {})).toBe(false);
});
