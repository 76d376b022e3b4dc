import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

/** A received webhook. */
interface Received {
  readonly path: string;
  readonly eventId: string;
  readonly signature: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Answers the next webhooks with these statuses, then 200 again. */
  answerNext(...statuses: readonly number[]): void;
  stop(): Promise<void>;
}

/** Starts a server that receives webhooks in place of the service. */
export const receiveWebhooks = async (): Promise<WebhookReceiver> => {
  const received: Received[] = [];
  const statuses: number[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      const body: unknown = JSON.parse(raw);
      received.push({
        path: req.url ?? '',
        eventId: String(req.headers['x-gateway-event-id']),
        signature: String(req.headers['x-gateway-signature']),
        headers: req.headers,
        raw,
        // Webhooks are objects. The neutral gateway's have both of these fields, and the others
        // only the event.
        ...(body as Pick<Received, 'event' | 'data'>),
      });
      res.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' });
      res.end('{"received":true}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    answerNext: (...next) => statuses.push(...next),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
