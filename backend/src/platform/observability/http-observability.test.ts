import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Writable } from 'node:stream';
import express, { Router } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '#test/support/free-port.ts';
import { requestIdMiddleware } from '../http/request-scope.ts';
import { createRandom } from '../ids/random.ts';
import { createRequestLog } from './create-request-log.ts';
import { createLogger } from './logger.ts';
import { createMetrics, createMetricsHandler } from './metrics.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const onError: express.ErrorRequestHandler = (_error, _req, res, _next) => {
  res.status(500).end();
};

const start = async () => {
  let log = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString('utf8');
      done();
    },
  });
  const metrics = createMetrics({ service: 'test', collectsDefaults: false });
  const logger = createLogger({ level: 'info', name: 'test', destination });
  const app = express();
  app.use(requestIdMiddleware(createRandom()));
  app.use(createRequestLog({ logger, prefix: '/v1', observe: metrics.observeRequest }));
  app.get('/metrics', createMetricsHandler(metrics));
  const router = Router();
  router.get('/orders/:id', (_req, res) => {
    res.json({});
  });
  router.get('/broken/:id', () => {
    throw new Error('no');
  });
  app.use('/v1', router);
  app.use(onError);
  const port = await freePort();
  const server = createServer(app).listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const lines = (): Record<string, unknown>[] =>
    log
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
  return { get, lines, log: () => log };
};

describe('request log and metrics', () => {
  it('tells a request by its route template, without id or query', async () => {
    const { get, lines, log } = await start();
    await get('/v1/orders/secret-id?phone=%2B919876543210');
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatchObject({ method: 'GET', route: '/v1/orders/:id', status: 200 });
    expect(log()).not.toContain('secret-id');
    expect(log()).not.toContain('phone');
  });

  it('keeps the template when the error handler answers', async () => {
    const { get, lines } = await start();
    await get('/v1/broken/1');
    expect(lines()[0]).toMatchObject({ level: 'warn', route: '/v1/broken/:id', status: 500 });
  });

  it('has one label for whatever matches no route', async () => {
    const { get } = await start();
    await get('/v1/orders/1');
    await get('/v1/nothing/1');
    await get('/v1/nothing/2');
    const { text } = await get('/metrics');
    const count = 'http_request_duration_seconds_count';
    expect(text).toContain(
      `${count}{service="test",method="GET",route="/v1/orders/:id",status="200"} 1`,
    );
    expect(text).toContain(
      `${count}{service="test",method="GET",route="unmatched",status="404"} 2`,
    );
    expect(text).not.toContain('v1/nothing');
  });
});
