import { createServer } from 'node:http';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '#test/support/listen.ts';
import { errorTable, type ErrorCode } from '../../errors/error-table.ts';
import { AppError } from '../errors/app-error.ts';
import { errorMiddleware } from '../http/error-middleware.ts';
import { requestIdMiddleware } from '../http/request-scope.ts';
import { createRandom } from '../ids/random.ts';
import { createRequestLog } from './create-request-log.ts';
import { createSilentLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';

const codes = Object.keys(errorTable) as ErrorCode[]; // its own keys

/** Serves a route that answers each customer with the error that the request names. */
const serve = async () => {
  const metrics = createMetrics({ service: 'test', collectsDefaults: false });
  const logger = createSilentLogger();
  const app = express();
  app.use(requestIdMiddleware(createRandom()));
  app.use(createRequestLog({ logger, observe: metrics.observeRequest }));
  app.get('/customers/:id/:code', (req) => {
    throw new AppError(codes.find((code) => code === req.params.code) ?? 'NOT_FOUND');
  });
  app.use(errorMiddleware(logger));
  const server = createServer(app);
  onTestFinished(() => void server.close());
  const url = await listen(server);
  const series = async (): Promise<number> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^[a-z]/u.test(line)).length;
  return { url, series };
};

it('the registry has no more series for 10,000 customers and every error than for one of each', async () => {
  const { url, series } = await serve();
  const random = createRandom();
  const raise = async (count: number): Promise<void> => {
    for (let asked = 0; asked < count; asked += 50) {
      const some = Array.from({ length: 50 }, async (_, index) => {
        const code = codes[(asked + index) % codes.length] ?? 'NOT_FOUND';
        const response = await fetch(`${url}/customers/${random.uuid()}/${code}`);
        expect(response.status).toBe(errorTable[code].status);
        await response.arrayBuffer();
      });
      await Promise.all(some);
    }
  };
  const before = await series();
  await raise(codes.length);
  const once = await series();
  await raise(10_000);
  expect(await series()).toBe(once);
  const statuses = new Set(codes.map((code) => errorTable[code].status)).size;
  // A route and status is one histogram: its buckets, the last of which has no end, sum and count.
  expect((once - before) % statuses).toBe(0);
  expect((once - before) / statuses).toBeLessThan(20);
});
