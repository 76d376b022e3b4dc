import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The headers that a page of an allowed origin may read. */
const exposedHeaders = [
  'x-request-id',
  'idempotent-replayed',
  'content-disposition',
  'retry-after',
  'x-total-rows',
  'ratelimit',
  'ratelimit-policy',
];

/**
 * Makes a browser that follows a link to a JSON response save it under a fixed name. This prevents
 * a link that gives the file an executable name (reflected file download).
 */
export const jsonDisposition = 'attachment; filename="api.json"';

/** Computes helmet's headers once, since they are the same on every response. */
const helmetHeaders = (): [string, string][] => {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  helmet()(req, res, () => undefined);
  return Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]);
};

type HeaderMiddleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** Creates a function that sets helmet's headers and forbids caching. */
const createSetter = (): ((res: ServerResponse) => void) => {
  const headers = [...helmetHeaders(), ['cache-control', 'no-store'] as const];
  return (res) => {
    for (const [name, value] of headers) res.setHeader(name, value);
  };
};

/** Sets the security headers, for a server other than the API's own. */
export const fixedHeaders = (): HeaderMiddleware => {
  const setFixed = createSetter();
  return (_req, res, next) => {
    setFixed(res);
    next();
  };
};

/**
 * Sets the security headers, which a route may override, and answers preflight requests of the
 * allowed origins (contract: conventions > Security headers).
 */
export const securityHeaders = (corsAllowedOrigins: readonly string[]): RequestHandler => {
  const setFixed = createSetter();
  const answerBrowser = cors({
    origin: [...corsAllowedOrigins],
    exposedHeaders,
  });
  return (req, res, next) => {
    setFixed(res);
    const isPreflight =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
    if (isPreflight || (req.method !== 'OPTIONS' && req.headers.origin !== undefined)) {
      answerBrowser(req, res, next);
      return;
    }
    res.setHeader('vary', 'Origin');
    next();
  };
};
