import { Router, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../errors/app-error.ts';
import { bodyBytes, parseJsonBody, readBody } from './body.ts';
import type { Guard } from './guard.ts';
import type { Reply } from './reply.ts';
import type { RawInput, Route } from './route.ts';

export interface MountOptions {
  readonly routes: readonly Route[];
  readonly guard: Guard;
  readonly rateLimit: RequestHandler;
  /** Holds every reply against its declared schema: on everywhere but in production. */
  readonly checkReplies: boolean;
}

const send = (res: Response, { status, body, headers }: Reply): void => {
  res.status(status).set(headers ?? {});
  if (body === undefined) res.end();
  else res.json(body);
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

const hasBody = (method: Route['method']): boolean => method !== 'GET';

const runRoute = async (route: Route, req: Request, principal: unknown): Promise<Reply> => {
  const rawBody = bodyBytes(req.body);
  const parsed =
    route.rawBody === true ? { value: undefined } : parseJsonBody(rawBody, req.get('content-type'));
  const input: RawInput = {
    params: req.params,
    query: req.query,
    rawBody,
    parsedBody: 'value' in parsed ? parsed.value : undefined,
    principal,
    context: { requestId: req.requestId, ip: req.ip ?? '', headers: req.headers },
  };
  const early = await route.before?.(input);
  if (early !== undefined) return early;
  if ('problem' in parsed) throw parsed.problem;
  return route.run(input);
};

const handlersOf = (route: Route, options: MountOptions): RequestHandler[] => {
  const admit: RequestHandler = async (req, res, next) => {
    if (route.access.kind !== 'public') {
      res.locals['principal'] = await options.guard.admit(req, route.access);
    }
    next();
  };
  const run: RequestHandler = async (req, res) => {
    const reply = await runRoute(route, req, res.locals['principal']);
    if (options.checkReplies) checkReply(route, reply);
    send(res, reply);
  };
  return [
    ...(route.rateLimit === 'exempt' ? [] : [options.rateLimit]),
    admit,
    ...(hasBody(route.method) ? [readBody(route.bodyLimitBytes)] : []),
    run,
  ];
};

/**
 * Mounts declared routes in the order of refusals: rate limit, credential, role, `before`, body
 * (decisions, section 1). A known path with another verb is 405 with `Allow`.
 */
export const mountRoutes = (options: MountOptions): Router => {
  const router = Router({ caseSensitive: true });
  const byPath = new Map<string, Route[]>();
  for (const route of options.routes) {
    const same = byPath.get(route.path) ?? [];
    if (same.some((other) => other.method === route.method)) {
      throw new Error(`${route.method} ${route.path} is declared twice`);
    }
    byPath.set(route.path, [...same, route]);
  }
  for (const [path, routes] of byPath) {
    const entry = router.route(path);
    for (const route of routes) {
      const method = route.method.toLowerCase() as Lowercase<Route['method']>; // the same words
      entry[method](...handlersOf(route, options));
    }
  }
  // After all of them: `/a/:id` must not answer 405 for another route's `/a/b`.
  for (const [path, routes] of byPath) {
    const allow = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    router.all(path, options.rateLimit, () => {
      throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: allow.join(', ') } });
    });
  }
  return router;
};
