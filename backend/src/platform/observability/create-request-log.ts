import type { Request, RequestHandler } from 'express';
import { clientLeftStatus } from './client-left-status.ts';
import type { Logger } from './logger.ts';
import type { ObservedRequest } from './metrics.ts';

interface MatchedRoute {
  readonly path: string;
}

const isMatchedRoute = (route: unknown): route is MatchedRoute =>
  typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string';

/**
 * Returns the declared path of the request's route, such as `/v1/gold/orders/:id`, or `unmatched`.
 * It is never the address itself, whose ids would each create a label. `prefix` is the API's mount
 * point, which Express no longer has when an error is answered.
 */
const routeTemplate = (req: Request, prefix = ''): string => {
  const route: unknown = req.route;
  if (!isMatchedRoute(route)) return 'unmatched';
  if (req.baseUrl !== '') return `${req.baseUrl}${route.path}`;
  const isUnderPrefix = prefix !== '' && req.originalUrl.startsWith(`${prefix}/`);
  return isUnderPrefix && !route.path.startsWith(prefix) ? `${prefix}${route.path}` : route.path;
};

interface RequestLogOptions {
  readonly logger: Logger;
  /** The path under which the API is mounted. */
  readonly prefix?: string;
  /** Observes each request, for the metrics. */
  readonly observe?: (request: ObservedRequest) => void;
}

/**
 * Logs one line for each request, with its id, method, route template, status and milliseconds. The
 * logger never gets an address, a query, a header or a body, so the line can't contain them.
 */
export const createRequestLog = (options: RequestLogOptions): RequestHandler => {
  const { logger, prefix, observe } = options;
  return (req, res, next) => {
    const startedAt = performance.now();
    res.on('close', () => {
      const status = res.writableFinished ? res.statusCode : clientLeftStatus;
      const { requestId, traceId, method } = req;
      const route = routeTemplate(req, prefix);
      const ms = performance.now() - startedAt;
      observe?.({ method, route, status, ms });
      const ids = traceId === undefined ? { requestId } : { requestId, traceId };
      const fields = { ...ids, method, route, status, ms: Math.round(ms) };
      if (status >= 500) logger.warn(fields, 'request');
      else logger.info(fields, 'request');
    });
    next();
  };
};
