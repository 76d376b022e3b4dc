import { createServer } from 'node:http';
import express from 'express';
import { createLogger, createRequestLog } from '../../src/platform/observability/index.ts';
import { createRateLimit } from '../../src/platform/rate-limit/index.ts';
import { createRedis, untilReady } from '../../src/platform/redis/index.ts';

/**
 * A bare Express handler that sends the bytes of `BODY`. With a `REDIS_URL` the service's own
 * limiter and request log are before it, as the customer API has them.
 */
const { PORT: port, BODY: body = '{}', REDIS_URL: redisUrl } = process.env;
const bytes = Buffer.from(body);
const app = express();
// What the service does without, the floor does without.
app.disable('x-powered-by');
app.disable('etag');
app.set('trust proxy', 1);
app.get('/health', (_req, res) => {
  res.json({ status: 'ok' });
});
if (redisUrl !== undefined) {
  const redis = createRedis(redisUrl, 'fail-fast');
  await untilReady(redis, 5000);
  app.use(createRequestLog({ logger: createLogger({ level: 'info', name: 'floor' }) }));
  app.use(createRateLimit({ redis, prefix: 'floor', limit: 100, windowMs: 60_000 }));
}
app.get('/v1/price/current', (_req, res) => {
  res.type('application/json').send(bytes);
});
createServer(app).listen(Number(port), '127.0.0.1');
