import { createServer } from 'node:http';
import type { TestServers } from './test-servers.ts';

/** Lets the processes that run test files ask the run's own process for servers. */
export const serveTestServers = async (
  servers: TestServers,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const answer = async (method: string, path: string): Promise<unknown> => {
    if (method === 'POST' && path === '/databases/empty') return servers.acquire('empty');
    if (method === 'POST' && path === '/databases/seeded') return servers.acquire('seeded');
    if (method === 'POST' && path.startsWith('/builds/')) {
      return servers.build(path.replace('/builds/', ''));
    }
    if (method === 'DELETE') return servers.release(path.replace('/databases/', ''));
    throw new Error(`nothing at ${method} ${path}`);
  };
  const server = createServer((request, response) => {
    answer(request.method ?? '', request.url ?? '').then(
      (value) => response.end(JSON.stringify(value ?? {})),
      (error: unknown) => {
        const text = error instanceof Error ? error.message : String(error);
        response.writeHead(500).end(text);
      },
    );
  });
  // A worker sends a request for each file. A connection that ended after Node's 5 s could end
  // under a request.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
