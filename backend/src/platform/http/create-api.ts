import express, { type RequestHandler, type Express } from 'express';
import { AppError } from '../errors/app-error.ts';
import type { Random } from '../ids/random.ts';
import { traceRequests } from '../observability/request-span.ts';
import { createApiBodies, type BodyOptions } from './api-bodies.ts';
import { closeUnread } from './read-body.ts';
import type { Route } from './route.ts';
import { fixedRoutes, mountRoutes } from './serve-routes.ts';
import { docsRouter } from './docs.ts';
import { readableForwarding, requestIdMiddleware } from './request-scope.ts';
import { errorMiddleware } from './error-middleware.ts';
import type { Guard } from './access.ts';
import { openApiDocument, type ApiInfo } from './openapi.ts';
import { securityHeaders } from './security-headers.ts';

/** Returns the host of a `Host` header in lower case, without a port and a last dot. */
const hostnameOf = (host: string | undefined): string =>
  (host ?? '').toLowerCase().replace(/:\d*$/u, '').replace(/\.$/u, '');

/**
 * Replies 404 unless `Host` is an internal name, and to every request that a proxy forwarded. Some
 * proxies choose the site by the request line, and pass on a `Host` that the client made up
 * (contract: conventions > Metrics).
 */
const internalOnly =
  (internalHostnames: readonly string[]): RequestHandler =>
  (req, _res, next) => {
    const isInternal = internalHostnames.includes(hostnameOf(req.get('host')));
    if (!isInternal || req.get('x-forwarded-host') !== undefined) throw new AppError('NOT_FOUND');
    next();
  };

interface ApiOptions {
  readonly info: ApiInfo;
  readonly routes: readonly Route[];
  readonly guard: Guard;
  readonly rateLimit: RequestHandler;
  /** Writes a log line for each request, and its duration by route template. */
  readonly requestLog: RequestHandler;
  readonly metrics: RequestHandler;
  readonly logger: { error(fields: object, message: string): void };
  readonly random: Random;
  readonly trustProxyHops: number;
  /** The limits of bodies. Without them the usual limits apply. */
  readonly bodies?: BodyOptions;
  /** Called for each request that waited too long for the database. */
  readonly onBusy?: () => void;
  readonly corsAllowedOrigins: readonly string[];
  readonly internalHostnames: readonly string[];
  readonly checkReplies: boolean;
  /** True to serve `/docs`. The accounting API publishes no schema. */
  readonly docs: boolean;
}

const onlyGet: RequestHandler = (req, _res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') next();
  else throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD' } });
};

const closeUnreadBodies: RequestHandler = (req, res, next) => {
  closeUnread(req, res);
  next();
};

/**
 * Runs several middlewares as one, each after the previous has called `next`. It is for middlewares
 * that every request passes, since Express takes longer to find the next middleware than most of
 * them take to run.
 */
const inTurn = (...middlewares: readonly RequestHandler[]): RequestHandler =>
  middlewares.reduceRight((following, first) => (req, res, next) => {
    const callNext = (error?: unknown): void => {
      if (error === undefined) void following(req, res, next);
      else next(error);
    };
    return first(req, res, callNext);
  });

const pathsAtHand = (routes: readonly Route[], prefix: string): ReadonlySet<string> =>
  new Set(routes.filter(({ atHand }) => atHand !== undefined).map(({ path }) => prefix + path));

/** Builds an API. Only this function decides the order of the middlewares. */
export const createApi = (options: ApiOptions): Express => {
  const { info, routes, guard, rateLimit, checkReplies } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', options.trustProxyHops);
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  const bodies = createApiBodies(options.bodies);
  const mounted = { routes, prefix: info.prefix, guard, rateLimit, bodies, checkReplies };
  app.use(
    inTurn(
      readableForwarding,
      traceRequests(pathsAtHand(routes, info.prefix)),
      requestIdMiddleware(options.random),
      options.requestLog,
      closeUnreadBodies,
      securityHeaders(options.corsAllowedOrigins),
      fixedRoutes(mounted),
    ),
  );
  app.use(info.prefix, mountRoutes(mounted));
  for (const path of ['/metrics', `${info.prefix}/metrics`]) {
    app.all(path, internalOnly(options.internalHostnames), onlyGet);
    app.get(path, options.metrics);
  }
  // Load balancers request `/` unless they are configured with another path.
  app.all('/', onlyGet);
  app.get('/', (_req, res) => void res.json({ status: 'ok' }));
  if (options.docs) app.use(docsRouter(() => openApiDocument(info, routes, guard), rateLimit));
  app.use(rateLimit, () => {
    throw new AppError('NOT_FOUND');
  });
  app.use(errorMiddleware(options.logger, options.onBusy));
  return app;
};
