import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { bodyBytes, parseJsonBody, readBody } from './body.ts';
import type { Guard } from './guard.ts';
import type { Reply } from './reply.ts';
import type { RawInput, RequestContext, Route } from './route.ts';

export interface ServeOptions {
  readonly guard: Guard;
  readonly rateLimit: RequestHandler;
  /** Holds every reply against its declared schema: on everywhere but in production. */
  readonly checkReplies: boolean;
}

/** Rejects with what the error middleware is to answer. */
export type ServeRequest = (req: Request, res: Response) => Promise<void>;

const send = (res: Response, { status, body, headers }: Reply): void => {
  res.statusCode = status;
  if (headers !== undefined) res.set(headers);
  if (body === undefined) {
    res.end();
    return;
  }
  // What res.json would come to, without its looking for what is known here.
  const text = JSON.stringify(body);
  if (headers === undefined || !res.hasHeader('content-type')) {
    res.setHeader('content-type', 'application/json; charset=utf-8');
  }
  res.setHeader('content-length', Buffer.byteLength(text));
  res.end(text);
};

const checkReply = (route: Route, reply: Reply): void => {
  const schema = route.responses[reply.status];
  const where = `${route.method} ${route.path}`;
  if (schema === undefined) throw new Error(`${where} answered an undeclared ${reply.status}`);
  // The client sees JSON, so the JSON is what is checked.
  const wire: unknown = reply.body === undefined ? null : JSON.parse(JSON.stringify(reply.body));
  const parsed = schema?.safeParse(wire);
  if (parsed?.success === false)
    throw new Error(`${where} broke its schema`, { cause: parsed.error });
};

/** Of a class, so that what few routes ask for is worked out only there. */
class ContextOf implements RequestContext {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly #req: Request;

  constructor(req: Request) {
    this.requestId = req.requestId;
    this.headers = req.headers;
    this.#req = req;
  }

  get ip(): string {
    return this.#req.ip ?? '';
  }
}

const runRoute = async (route: Route, req: Request, principal: unknown): Promise<Reply> => {
  const rawBody = bodyBytes(req.body);
  const parsed =
    route.rawBody === true ? { value: undefined } : parseJsonBody(rawBody, req.get('content-type'));
  const parsedBody = 'value' in parsed ? parsed.value : undefined;
  const input: RawInput = {
    params: req.params,
    // Express parses the query whenever it is asked for.
    query: route.query === undefined ? undefined : req.query,
    rawBody,
    parsedBody,
    principal,
    context: new ContextOf(req),
  };
  const early = await route.before?.(input);
  if (early !== undefined) return early;
  if ('problem' in parsed) throw parsed.problem;
  return route.run(input);
};

/** Waits until a middleware lets the request pass. Rejects with the error that it has for it. */
const pass = (middleware: RequestHandler, req: Request, res: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    void middleware(req, res, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });

/**
 * Answers the requests of one route, in the order of refusals: rate limit, credential, role,
 * `before`, body (decisions, section 1).
 */
export const serveRoute = (route: Route, options: ServeOptions): ServeRequest => {
  const { guard, rateLimit, checkReplies } = options;
  const isLimited = route.rateLimit !== 'exempt';
  const isPublic = route.access.kind === 'public';
  const read = route.method === 'GET' ? undefined : readBody(route.bodyLimitBytes);
  return async (req, res) => {
    if (isLimited) await pass(rateLimit, req, res);
    const principal = isPublic ? undefined : await guard.admit(req, route.access);
    if (read !== undefined) await pass(read, req, res);
    const reply = await runRoute(route, req, principal);
    if (checkReplies) checkReply(route, reply);
    send(res, reply);
  };
};
