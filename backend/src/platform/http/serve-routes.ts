import type { IncomingHttpHeaders } from 'node:http';
import {
  Router,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { ErrorCode } from '../../errors/error-table.ts';
import { AppError } from '../errors/app-error.ts';
import { nameRequestSpan } from '../observability/tracing.ts';
import type { Reply } from './reply.ts';
import type { Guard } from './access.ts';
import type { ApiBodies } from './api-bodies.ts';
import { parseJsonBody } from './json-body.ts';
import { addressGroup } from './request-scope.ts';
import { declaredErrors, type RawInput, type RequestContext, type Route } from './route.ts';
import { jsonDisposition } from './security-headers.ts';

interface ServeOptions {
  readonly guard: Guard;
  readonly rateLimit: RequestHandler;
  readonly bodies: ApiBodies;
  /**
   * True to check every reply against its declared schema and errors. It is false only in
   * production.
   */
  readonly checkReplies: boolean;
}

const describeJson = (res: Response, headers: Reply['headers']): void => {
  if (headers !== undefined && res.hasHeader('content-type')) return;
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('content-disposition', jsonDisposition);
};

const send = (res: Response, reply: Reply): void => {
  const { status, headers, bytes } = reply;
  res.statusCode = status;
  if (headers !== undefined) res.set(headers);
  if (bytes !== undefined) {
    describeJson(res, headers);
    res.setHeader('content-length', bytes.length);
    res.end(bytes);
    return;
  }
  if (reply.body === undefined) {
    res.end();
    return;
  }
  // This is the text that res.json would send, without its look-ups of settings.
  const text = reply.json ?? JSON.stringify(reply.body);
  describeJson(res, headers);
  const length = Buffer.byteLength(text);
  res.setHeader('content-length', length);
  // ASCII text has the same bytes in both encodings, and this encoding takes less time.
  res.end(text, length === text.length ? 'latin1' : 'utf8');
};

const checkReply = (route: Route, reply: Reply): void => {
  const schema = route.responses[reply.status];
  const where = `${route.method} ${route.path}`;
  const type = reply.headers?.['content-type'];
  if (route.produces !== undefined && reply.bytes !== undefined) {
    if (type !== undefined && route.produces.includes(type)) return;
    throw new Error(`${where} answered an undeclared ${type}`);
  }
  if (schema === undefined) throw new Error(`${where} answered an undeclared ${reply.status}`);
  // The check is on the JSON, because the client sees JSON.
  const wire: unknown = reply.body === undefined ? null : JSON.parse(JSON.stringify(reply.body));
  const parsed = schema?.safeParse(wire);
  if (parsed?.success === false)
    throw new Error(`${where} broke its schema`, { cause: parsed.error });
};

/** Returns the error, or an error that reports that the route does not declare its code. */
const checkError = (route: Route, declared: ReadonlySet<ErrorCode>, error: unknown): unknown => {
  if (!(error instanceof AppError) || declared.has(error.code)) return error;
  const where = `${route.method} ${route.path}`;
  return new Error(`${where} answered an undeclared ${error.code}`, { cause: error });
};

/**
 * Returns a signal that aborts when the connection closes. It also aborts after the reply, when
 * that no longer matters.
 */
const signalOfClose = (res: Response): AbortSignal => {
  if (res.destroyed || res.socket?.destroyed === true) return AbortSignal.abort();
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return controller.signal;
};

/** Sends a reply that writes itself. A HEAD request gets only the headers. */
const stream = async (
  req: Request,
  res: Response,
  { status, headers = {}, write }: Reply & Required<Pick<Reply, 'write'>>,
): Promise<void> => {
  res.statusCode = status;
  res.set(headers);
  const gone = signalOfClose(res);
  try {
    if (req.method !== 'HEAD') await write(res, gone);
    res.end();
  } catch (error) {
    // The client has left, so there is no reply to send.
    if (gone.aborted) return;
    if (!res.headersSent) for (const name of Object.keys(headers)) res.removeHeader(name);
    throw error;
  }
};

/**
 * The context of a request. It computes the address and the signal lazily, since few routes read
 * them.
 */
class LazyContext implements RequestContext {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly #req: Request;
  readonly #res: Response;
  #clientGone: AbortSignal | undefined;

  constructor(req: Request, res: Response) {
    this.requestId = req.requestId;
    this.headers = req.headers;
    this.#req = req;
    this.#res = res;
  }

  get ip(): string {
    return this.#req.ip ?? '';
  }

  get clientGone(): AbortSignal {
    this.#clientGone ??= signalOfClose(this.#res);
    return this.#clientGone;
  }
}

/** A request that its guard has admitted, with its body. */
interface Admitted {
  readonly req: Request;
  readonly res: Response;
  readonly principal: unknown;
  readonly rawBody: Buffer;
}

const runRoute = (
  route: Route,
  { req, res, principal, rawBody }: Admitted,
  { shape }: ApiBodies,
): Promise<Reply> => {
  const parsed =
    route.rawBody === true
      ? { value: undefined, isPlain: true }
      : parseJsonBody(rawBody, req.get('content-type'), shape);
  const isRead = 'value' in parsed;
  const input: RawInput = {
    params: req.params,
    // Express parses the query at each access.
    query: route.query === undefined ? undefined : req.query,
    rawBody,
    parsedBody: isRead ? parsed.value : undefined,
    isPlainBody: isRead && parsed.isPlain,
    bodyProblem: isRead ? undefined : parsed.problem,
    principal,
    context: new LazyContext(req, res),
  };
  return route.run(input);
};

const noBytes = Buffer.alloc(0);

/**
 * Answers the requests of a route. Refusals are checked in order: rate limit, credential, role,
 * then the route's own (contract: conventions > Order of refusals). `next` gets the errors for the
 * error middleware.
 */
const serveRoute = (route: Route, options: ServeOptions): RequestHandler => {
  const { guard, rateLimit, checkReplies, bodies } = options;
  const isLimited = route.rateLimit !== 'exempt';
  const isPublic = route.access.kind === 'public';
  const hasBody = route.method !== 'GET';
  const isSigned = route.isSigned === true;
  const refusals = isSigned ? bodies.refusals : undefined;
  const limitBytes = route.bodyLimitBytes ?? bodies.limitBytes(isSigned);
  const declared = declaredErrors(route);
  const atHand = isPublic && !hasBody ? route.atHand : undefined;

  const answer = (res: Response, reply: Reply): void => {
    if (checkReplies) checkReply(route, reply);
    send(res, reply);
  };
  const readBody = (req: Request): Promise<Buffer> =>
    bodies.reader.read(req, addressGroup(req.ip ?? ''), limitBytes);
  const run = async (req: Request, res: Response): Promise<void> => {
    const principal = isPublic ? undefined : await guard.admit(req, route.access);
    const rawBody = hasBody ? await readBody(req) : noBytes;
    const reply = await runRoute(route, { req, res, principal, rawBody }, bodies);
    if (reply.write === undefined) answer(res, reply);
    else await stream(req, res, { ...reply, write: reply.write });
  };
  const serve = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    try {
      if (refusals === undefined) await run(req, res);
      else await refusals.watch(addressGroup(req.ip ?? ''), () => run(req, res));
    } catch (error) {
      next(checkReplies ? checkError(route, declared, error) : error);
    }
  };
  // Never throws, because the limiter would treat that as its own error.
  const begin = (req: Request, res: Response, next: NextFunction): void => {
    try {
      const reply = atHand?.(req.headers);
      if (reply === undefined) void serve(req, res, next);
      else answer(res, reply);
    } catch (error) {
      next(error);
    }
  };
  if (!isLimited) return begin;
  return (req, res, next) => {
    void rateLimit(req, res, (error?: unknown) => {
      if (error === undefined) begin(req, res, next);
      else next(error);
    });
  };
};

interface MountOptions extends ServeOptions {
  readonly routes: readonly Route[];
  /** The path of the API, such as `/v1`. */
  readonly prefix: string;
}

const groupByPath = (routes: readonly Route[]): Map<string, Route[]> => {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) {
    const siblings = byPath.get(route.path) ?? [];
    if (siblings.some((other) => other.method === route.method)) {
      throw new Error(`${route.method} ${route.path} is declared twice`);
    }
    byPath.set(route.path, [...siblings, route]);
  }
  return byPath;
};

/**
 * Serves the routes without a parameter in their path, found by one look-up. The router would try
 * all routes in turn, which on the most used paths costs more than the answer.
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
    // The router sets this too. The log and the metrics read it.
    req.route = { path };
    nameRequestSpan(req.method, path);
    void serve(req, res, next);
  };
};

const allowOf = (routes: readonly Route[]): string =>
  routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');

/**
 * Mounts declared routes at their prefix, each behind the rate limit unless it is exempt. A known
 * path with another method is 405 with `Allow`. A path without a parameter goes before a path with
 * parameters, so `/a/b` is never taken for `/a/:id` (contract: conventions > Validation).
 */
export const mountRoutes = (options: MountOptions): Router => {
  const router = Router({ caseSensitive: true });
  const byPath = groupByPath(options.routes);
  const serve = (path: string, routes: readonly Route[]): void => {
    const entry = router.route(path);
    for (const route of routes) {
      const method = route.method.toLowerCase() as Lowercase<Route['method']>; // the same words
      const begin = serveRoute(route, options);
      entry[method]((req, res, next) => {
        nameRequestSpan(req.method, options.prefix + path);
        void begin(req, res, next);
      });
    }
  };
  const refuseOthers = (path: string, routes: readonly Route[]): void => {
    const allow = allowOf(routes);
    router.all(path, options.rateLimit, () => {
      throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow } });
    });
  };

  const paths = [...byPath];
  for (const [path, routes] of paths.filter(([path]) => !path.includes(':'))) {
    serve(path, routes);
    refuseOthers(path, routes);
  }
  const withParameters = paths.filter(([path]) => path.includes(':'));
  for (const [path, routes] of withParameters) serve(path, routes);
  // This follows all routes, because `/:kind/list` must not answer 405 for another route's
  // `/a/:id`.
  for (const [path, routes] of withParameters) refuseOthers(path, routes);
  return router;
};
