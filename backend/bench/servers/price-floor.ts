import { createServer } from 'node:http';
import express from 'express';
import { z } from 'zod';
import { requestIdMiddleware } from '../../src/platform/http/request-scope.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createLogger, createRequestLog } from '../../src/platform/observability/index.ts';
import { createRateLimit } from '../../src/platform/rate-limit/create-rate-limit.ts';
import { createRedis, untilReady } from '../../src/platform/redis/index.ts';

/**
 * Serves `ROUTE` by a bare Express handler that sends the bytes of `BODY` under the fixed `HEADERS`
 * (JSON pairs of name and value). With a `REDIS_URL`, the service's own limiter and request log run
 * before it, as in the customer API.
 */
const { PORT: port, BODY: body = '{}', REDIS_URL: redisUrl, ROUTE: route } = process.env;
const pairs = z.array(z.tuple([z.string(), z.string()]));
const jsonAlone = '[["content-type","application/json; charset=utf-8"]]';
const headers = new Map(pairs.parse(JSON.parse(process.env['HEADERS'] ?? jsonAlone)));
const bytes = Buffer.from(body);
const app = express();
// The service has also turned these off.
app.disable('x-powered-by');
app.disable('etag');
app.set('trust proxy', 1);
app.get('/health', (_req, res) => {
  res.json({ status: 'ok' });
});
if (redisUrl !== undefined) {
  const redis = createRedis(redisUrl, 'fail-fast');
  await untilReady(redis, 5000);
  // The log's lines have the id of the request, so creating the id is a part of logging.
  headers.delete('x-request-id');
  app.use(requestIdMiddleware(createRandom()));
  app.use(createRequestLog({ logger: createLogger({ level: 'info', name: 'floor' }) }));
  app.use(createRateLimit({ redis, prefix: 'floor', limit: 100, windowMs: 60_000 }));
}
app.get(route ?? '/v1/price/current', (_req, res) => {
  res.setHeaders(headers).send(bytes);
});
createServer(app).listen(Number(port), '127.0.0.1');
