import { once } from 'node:events';
import { createServer } from 'node:http';

/** Webhooks that are passed on, until it is closed. */
interface Forwarding {
  close(): void;
}

const kept = /^(?:content-type|x-[a-z-]+)$/u;

/**
 * Listens where the collaborators send their webhooks, and passes each on to the API that serves at
 * that moment, which may be of either build. A webhook that cannot be passed on gets 503, and the
 * collaborator sends it again.
 */
export const forwardWebhooks = async (port: number, target: () => string): Promise<Forwarding> => {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(req.headers).flatMap(([name, value]) =>
          kept.test(name) ? [[name, String(value)]] : [],
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
