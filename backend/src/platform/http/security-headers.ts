import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** What helmet sets, worked out once: it is the same on every answer. */
const helmetHeaders = (): [string, string][] => {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  helmet()(req, res, () => undefined);
  return Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]);
};

/** helmet's headers on every answer, and what browsers of the allowed origins ask for. */
export const securityHeaders = (corsAllowedOrigins: readonly string[]): RequestHandler => {
  const headers = helmetHeaders();
  const answerBrowser = cors({
    origin: [...corsAllowedOrigins],
    exposedHeaders: ['x-request-id'],
  });
  return (req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    if (req.headers.origin !== undefined || req.method === 'OPTIONS') {
      answerBrowser(req, res, next);
      return;
    }
    res.setHeader('vary', 'Origin');
    next();
  };
};
