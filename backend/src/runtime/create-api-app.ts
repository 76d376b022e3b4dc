import { z } from 'zod';
import type { Express, Request } from 'express';
import {
  defineRoute,
  ok,
  PUBLIC,
  createApi,
  openApiDocument,
  type Route,
  type BodyOptions,
  type Guard,
} from '../platform/http/index.ts';
import type { Config } from '../platform/config/config.ts';
import { createMetricsHandler, createRequestLog } from '../platform/observability/index.ts';
import { createRateLimit } from '../platform/rate-limit/create-rate-limit.ts';
import { createRefusalLimit } from '../platform/rate-limit/create-refusal-limit.ts';
import type { Runtime } from './create-runtime.ts';
import type { ProcessConfig } from './load-config.ts';
import type { apiVariables } from './process.variables.ts';

const healthView = z
  .object({ status: z.literal('ok') })
  .meta({ id: 'Health', description: 'The process is running.', examples: [{ status: 'ok' }] });

/** Answers `GET /health` while the process runs, outside the rate limit. */
export const healthRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/health',
    summary: 'Check that the process is running',
    tags: ['health'],
    access: PUBLIC,
    rateLimit: 'exempt',
    responses: { 200: healthView },
    handler: async () => ok({ status: 'ok' }),
  }),
];

export interface ApiDefinition {
  /** The name of the API in its counters and in the policy of its headers. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The beginning of every path, such as `/v1`. */
  readonly prefix: string;
  /** The descriptions of its routes' tags. */
  readonly tags: Readonly<Record<string, string>>;
  /**
   * The number of requests that a client may make in 60 s (contract: conventions > Rate limits).
   */
  readonly limitPerMinute: number;
  readonly routes: readonly Route[];
  readonly guard: Guard;
  /** Called for each request beyond the limit, after it is counted. */
  readonly onLimited?: (req: Request) => void;
  /** True to serve `/docs`. The accounting API publishes no schema. */
  readonly docs: boolean;
}

const version = '1.0.0';

const infoOf = ({ title, description, prefix, tags }: ApiDefinition) => ({
  title,
  description,
  version,
  prefix,
  tags,
  contact: { name: 'The maintainers of Digital Gold Service' },
  license: 'Apache-2.0',
});

/** Builds the OpenAPI document of an API, as `/docs/openapi.json` serves it. */
export const documentOf = (api: ApiDefinition) =>
  openApiDocument(infoOf(api), api.routes, api.guard);

/** The variables that an API's app reads. Only the customer API has webhooks. */
type ApiConfig = ProcessConfig & Config<typeof apiVariables> & WebhookConfig;
type WebhookConfig = Partial<Record<'WEBHOOK_BODY_BYTES' | 'WEBHOOK_REFUSALS_PER_MINUTE', number>>;

const bodiesOf = (config: ApiConfig, { metrics, redis, logger }: Runtime): BodyOptions => {
  const { WEBHOOK_BODY_BYTES: webhookBytes, WEBHOOK_REFUSALS_PER_MINUTE: refusals } = config;
  return {
    limits: {
      bytes: config.BODY_BYTES,
      timeoutMs: config.BODY_TIMEOUT_MS,
      memoryBytes: config.BODY_MEMORY_BYTES,
      maxDepth: config.BODY_MAX_DEPTH,
      maxValues: config.BODY_MAX_VALUES,
      ...(webhookBytes !== undefined && { webhookBytes }),
    },
    onBound: (bound) => metrics.countBoundReached(bound),
    ...(refusals !== undefined && {
      refusals: createRefusalLimit({
        redis,
        prefix: 'webhooks',
        limit: refusals,
        windowMs: 60_000,
        onLimited: () => metrics.countBoundReached('refused_webhooks'),
        onStoreError: (error) =>
          logger.warn(
            { err: error },
            'rate limits are counted per replica: the cache is unavailable',
          ),
      }),
    }),
  };
};

/** Builds the Express app of an API from its definition and the process's runtime. */
export const createApiApp = (api: ApiDefinition, config: ApiConfig, runtime: Runtime): Express => {
  const { logger, metrics, redis, random } = runtime;
  const { name, prefix, routes, guard, docs } = api;
  return createApi({
    info: infoOf(api),
    routes,
    guard,
    docs,
    rateLimit: createRateLimit({
      redis,
      prefix: name,
      limit: api.limitPerMinute,
      windowMs: 60_000,
      onLimited: (req) => {
        metrics.countRateLimited();
        api.onLimited?.(req);
      },
      onStoreError: (error) =>
        logger.warn(
          { err: error },
          'rate limits are counted per replica: the cache is unavailable',
        ),
    }),
    requestLog: createRequestLog({ logger, prefix, observe: metrics.observeRequest }),
    metrics: createMetricsHandler(metrics),
    logger,
    random,
    trustProxyHops: config.TRUST_PROXY_HOPS,
    bodies: bodiesOf(config, runtime),
    onBusy: () => metrics.countBoundReached('row_waits'),
    corsAllowedOrigins: config.CORS_ALLOWED_ORIGINS,
    internalHostnames: config.INTERNAL_HOSTNAMES,
    checkReplies: config.APP_MODE !== 'production',
  });
};
