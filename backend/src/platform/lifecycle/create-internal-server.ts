import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';

interface InternalServerOptions {
  readonly metrics: Pick<Metrics, 'text'>;
  readonly logger: Logger;
  /** Updates gauges before each reading. */
  readonly beforeMetrics?: () => Promise<void>;
  /** Reads the current value of every switch in this process. */
  readonly readSwitches?: () => Promise<Readonly<Record<string, string | null>>>;
}

const answer = (res: ServerResponse, status: number, type: string, body: string): void => {
  res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  res.end(body);
};

/**
 * Creates the server of the internal port with `GET /metrics` and `GET /switches`. The lifecycle
 * adds `/healthz` and `/readyz`. It is not for clients, so any other path is a plain 404.
 */
export const createInternalServer = (options: InternalServerOptions): Server => {
  const { metrics, logger, beforeMetrics, readSwitches = async () => ({}) } = options;
  const sendSwitches = async (res: ServerResponse): Promise<void> => {
    answer(res, 200, 'application/json', JSON.stringify({ switches: await readSwitches() }));
  };
  const sendMetrics = async (res: ServerResponse): Promise<void> => {
    try {
      await beforeMetrics?.();
      const { contentType, body } = await metrics.text();
      answer(res, 200, contentType, body);
    } catch (error) {
      logger.error({ err: error }, 'metrics could not be read');
      answer(res, 500, 'text/plain', 'metrics could not be read\n');
    }
  };
  return createServer((req, res) => {
    const [path] = (req.url ?? '').split('?');
    if (req.method === 'GET' && path === '/metrics') void sendMetrics(res);
    else if (req.method === 'GET' && path === '/switches') void sendSwitches(res);
    else answer(res, 404, 'text/plain', 'not found\n');
  });
};
