import { createServer } from 'node:http';
import { listen } from '../../support/listen.ts';

/** A webhook that a collaborator has sent and that is not yet delivered. */
export interface PendingWebhook {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Receives the webhooks of the collaborators in place of the service. A step of the simulation
 * delivers them later.
 */
export interface WebhookRecorder {
  readonly url: string;
  /** Returns the webhooks since the last call, in a fixed order. */
  collect(): readonly PendingWebhook[];
  close(): void;
}

const keptHeaders = /^(?:content-type|x-[a-z-]+)$/u;

/**
 * Orders webhooks by their content without random ids, since webhooks that are sent at the same
 * time have no order.
 */
const byText = (a: PendingWebhook, b: PendingWebhook): number => {
  const strip = ({ path, body }: PendingWebhook): string =>
    path + body.replace(/[0-9a-f-]{8,}/gu, '');
  const [left, right] = [strip(a), strip(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** Opens the webhook recorder, which accepts every webhook at once and keeps it. */
export const openWebhookRecorder = async (): Promise<WebhookRecorder> => {
  let webhooks: PendingWebhook[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const headers = Object.entries(req.headers).filter(([name]) => keptHeaders.test(name));
      webhooks.push({
        path: req.url ?? '',
        headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
        body: Buffer.concat(chunks).toString('utf8'),
      });
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
    });
  });
  const url = await listen(server);
  return {
    url,
    collect() {
      const collected = webhooks.toSorted(byText);
      webhooks = [];
      return collected;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
