import { once } from 'node:events';
import { createServer } from 'node:http';

/** A running forwarding of webhooks. */
interface Forwarding {
  close(): void;
}

const keptHeaders = /^(?:content-type|x-[a-z-]+)$/u;

/**
 * Listens at the address to which the collaborators send their webhooks, and forwards each to the
 * present API, which may be of either build. A webhook that cannot be forwarded gets 503, so the
 * collaborator sends it again.
 */
export const forwardWebhooks = async (port: number, target: () => string): Promise<Forwarding> => {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(req.headers).flatMap(([name, value]) =>
          keptHeaders.test(name) ? [[name, String(value)]] : [],
        ),
      );
      fetch(`${target()}${req.url ?? ''}`, {
        method: req.method ?? 'POST',
        headers,
        body: Buffer.concat(chunks),
      }).then(
        async (answer) => void res.writeHead(answer.status).end(await answer.text()),
        () => void res.writeHead(503).end(),
      );
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
