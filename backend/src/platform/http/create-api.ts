import express, { type RequestHandler, Router, type Express } from 'express';
import { AppError } from '../errors/app-error.ts';
import type { Random } from '../ids/random.ts';
import type { Route } from './route.ts';
import { serveRoute, type ServeOptions } from './serve-route.ts';
import { docsRouter } from './docs.ts';
import { readableForwarding, requestIdMiddleware } from './request-scope.ts';
import { errorMiddleware } from './error-middleware.ts';
import type { Guard } from './access.ts';
import { openApiDocument, type ApiInfo } from './openapi.ts';
import { securityHeaders } from './security-headers.ts';

/** The host of a `Host` header: lower case, without port and last dot. */
const hostnameOf = (host: string | undefined): string =>
  (host ?? '').toLowerCase().replace(/:\d*$/u, '').replace(/\.$/u, '');

/** 404 unless `Host` is one of the internal names (contract: conventions > Metrics). */
const internalOnly =
  (internalHostnames: readonly string[]): RequestHandler =>
  (req, _res, next) => {
    if (internalHostnames.includes(hostnameOf(req.get('host')))) next();
    else throw new AppError('NOT_FOUND');
  };

interface MountOptions extends ServeOptions {
  readonly routes: readonly Route[];
  /** The path of the API, such as `/v1`. */
  readonly prefix: string;
}

const groupByPath = (routes: readonly Route[]): Map<string, Route[]> => {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) {
    const same = byPath.get(route.path) ?? [];
    if (same.some((other) => other.method === route.method)) {
      throw new Error(`${route.method} ${route.path} is declared twice`);
    }
    byPath.set(route.path, [...same, route]);
  }
  return byPath;
};

/**
 * Routes whose path has no parameter, found by one look-up: the router walks along all routes
 * until one fits, which on the hottest paths costs more than the answer.
 */
const fixedRoutes = (options: MountOptions): RequestHandler => {
  const fixed = new Map<string, Map<string, RequestHandler>>();
  for (const route of options.routes.filter(({ path }) => !path.includes(':'))) {
    const path = options.prefix + route.path;
    const methods = fixed.get(path) ?? new Map<string, RequestHandler>();
    fixed.set(path, methods.set(route.method, serveRoute(route, options)));
  }
  return (req, res, next) => {
    const { path } = req;
    const serve = fixed.get(path)?.get(req.method);
    if (serve === undefined) {
      next();
      return;
    }
    // The router sets this too; the log and the metrics read it.
    req.route = { path };
    void serve(req, res, next);
  };
};

const allowOf = (routes: readonly Route[]): string =>
  routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');

/**
 * Declared routes, to be mounted at their prefix, each behind the rate limit unless it is exempt.
 * A known path with another verb is 405 with `Allow`. A path without a parameter goes before one
 * that has some: `/a/b` is never taken for `/a/:id` (contract: conventions > Validation).
 */
const mountRoutes = (options: MountOptions): Router => {
  const router = Router({ caseSensitive: true });
  const byPath = groupByPath(options.routes);
  const serve = (path: string, routes: readonly Route[]): void => {
    const entry = router.route(path);
    for (const route of routes) {
      const method = route.method.toLowerCase() as Lowercase<Route['method']>; // the same words
      entry[method](serveRoute(route, options));
    }
  };
  const refuseOthers = (path: string, routes: readonly Route[]): void => {
    const allow = allowOf(routes);
    router.all(path, options.rateLimit, () => {
      throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow } });
    });
  };

  const paths = [...byPath];
  for (const [path, routes] of paths.filter(([one]) => !one.includes(':'))) {
    serve(path, routes);
    refuseOthers(path, routes);
  }
  const withParameters = paths.filter(([path]) => path.includes(':'));
  for (const [path, routes] of withParameters) serve(path, routes);
  // After all of them: `/:kind/list` must not answer 405 for another route's `/a/:id`.
  for (const [path, routes] of withParameters) refuseOthers(path, routes);
  return router;
};

interface ApiOptions {
  readonly info: ApiInfo;
  readonly routes: readonly Route[];
  readonly guard: Guard;
  readonly rateLimit: RequestHandler;
  /** One line for each request, and its duration by route template. */
  readonly requestLog: RequestHandler;
  readonly metrics: RequestHandler;
  readonly logger: { error(fields: object, message: string): void };
  readonly random: Random;
  readonly trustProxyHops: number;
  readonly corsAllowedOrigins: readonly string[];
  readonly internalHostnames: readonly string[];
  readonly checkReplies: boolean;
  /** Serve `/docs`; the accounting API publishes no schema. */
  readonly docs: boolean;
}

const onlyGet: RequestHandler = (req, _res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') next();
  else throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD' } });
};

/**
 * Runs several middlewares as one, each after the one before has called `next`. For what every request
 * passes: Express takes longer to find the next of them than most of them take.
 */
const inTurn = (...middlewares: readonly RequestHandler[]): RequestHandler =>
  middlewares.reduceRight((rest, first) => (req, res, next) => {
    const goOn = (error?: unknown): void => {
      if (error === undefined) void rest(req, res, next);
      else next(error);
    };
    return first(req, res, goOn);
  });

/** Builds one API: the middleware order lives here and nowhere else. */
export const createApi = (options: ApiOptions): Express => {
  const { info, routes, guard, rateLimit, checkReplies } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', options.trustProxyHops);
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  const mounted = { routes, prefix: info.prefix, guard, rateLimit, checkReplies };
  app.use(
    inTurn(
      readableForwarding,
      requestIdMiddleware(options.random),
      options.requestLog,
      securityHeaders(options.corsAllowedOrigins),
      fixedRoutes(mounted),
    ),
  );
  app.use(info.prefix, mountRoutes(mounted));
  for (const path of ['/metrics', `${info.prefix}/metrics`]) {
    app.all(path, internalOnly(options.internalHostnames), onlyGet);
    app.get(path, options.metrics);
  }
  if (options.docs) app.use(docsRouter(() => openApiDocument(info, routes, guard), rateLimit));
  app.use(rateLimit, () => {
    throw new AppError('NOT_FOUND');
  });
  app.use(errorMiddleware(options.logger));
  return app;
};
