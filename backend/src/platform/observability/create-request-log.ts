import type { RequestHandler } from 'express';
import type { Logger } from './logger.ts';
import { routeTemplate } from './route-template.ts';

interface RequestLogOptions {
  readonly logger: Logger;
  /** Where the API is mounted. */
  readonly prefix?: string;
}

/** nginx's word for a client that left before it was answered. */
export const clientLeftStatus = 499;

/**
 * One line for each request: id, method, route template, status, milliseconds. No address, no
 * query, no header and no body ever come near the logger, so none can be in the line.
 */
export const createRequestLog = (options: RequestLogOptions): RequestHandler => {
  const { logger, prefix } = options;
  return (req, res, next) => {
    const startedAt = performance.now();
    res.on('close', () => {
      const status = res.writableFinished ? res.statusCode : clientLeftStatus;
      const fields = {
        requestId: req.requestId,
        method: req.method,
        route: routeTemplate(req, prefix),
        status,
        ms: Math.round(performance.now() - startedAt),
      };
      if (status >= 500) logger.warn(fields, 'request');
      else logger.info(fields, 'request');
    });
    next();
  };
};
