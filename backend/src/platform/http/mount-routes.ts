import { Router, type RequestHandler } from 'express';
import { AppError } from '../errors/app-error.ts';
import type { Route } from './route.ts';
import { serveRoute, type ServeOptions } from './serve-route.ts';

export interface MountOptions extends ServeOptions {
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
export const fixedRoutes = (options: MountOptions): RequestHandler => {
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
export const mountRoutes = (options: MountOptions): Router => {
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
