import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Call, Collaborator, Operation } from './collaborator.ts';
import { type CollaboratorContext, serveCall } from './serve-call.ts';

const bodyLimitBytes = 5 * 1024 * 1024;
const credentialsInQuery = ['session_token', 'authkey'];

const parseBody = (raw: unknown): { parsed: unknown; recorded: unknown } => {
  if (!Buffer.isBuffer(raw) || raw.length === 0) return { parsed: undefined, recorded: null };
  const text = raw.toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text);
    return { parsed, recorded: parsed };
  } catch {
    return { parsed: undefined, recorded: text };
  }
};

const queryOf = (req: Request): URLSearchParams =>
  new URLSearchParams(req.originalUrl.split('?')[1] ?? '');

const recordedPath = (req: Request): string => {
  const query = queryOf(req);
  for (const name of credentialsInQuery) query.delete(name);
  const path = req.originalUrl.split('?')[0] ?? '';
  return query.size === 0 ? path : `${path}?${query.toString()}`;
};

const textParams = (params: Request['params']): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));

const serve =
  (collaborator: Collaborator, operation: Operation, context: CollaboratorContext) =>
  async (req: Request, res: Response): Promise<void> => {
    const { parsed, recorded } = parseBody(req.body);
    const call: Call = {
      params: textParams(req.params),
      query: queryOf(req),
      headers: req.headers,
      body: parsed,
      origin: `${req.protocol}://${req.headers.host ?? 'localhost'}`,
    };
    const idempotencyKey = operation.idempotencyKey?.(call);
    const fault = context.faults.take(collaborator.name, operation.name);
    const seq = context.journal.open({
      collaborator: collaborator.name,
      operation: operation.name,
      method: req.method,
      path: recordedPath(req),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      body: recorded,
      ...(fault !== undefined && { fault: fault.fault }),
    });
    await serveCall({ collaborator, operation, call, fault, seq, req, res, context });
  };

const unknownOperation = (collaborator: Collaborator): Operation => ({
  name: 'unknown',
  method: 'GET',
  path: '/',
  handle: () => ({ status: 404, body: collaborator.errorBody(404, 'There is no such path') }),
});

/** Serves a collaborator's operations; each call is journalled and may meet a fault. */
export const collaboratorRouter = (
  collaborator: Collaborator,
  context: CollaboratorContext,
): Router => {
  const router = express.Router();
  router.use(express.raw({ type: () => true, limit: bodyLimitBytes }));
  for (const operation of collaborator.operations) {
    const handler: RequestHandler = serve(collaborator, operation, context);
    if (operation.method === 'GET') router.get(operation.path, handler);
    else router.post(operation.path, handler);
  }
  router.use(serve(collaborator, unknownOperation(collaborator), context));
  return router;
};
