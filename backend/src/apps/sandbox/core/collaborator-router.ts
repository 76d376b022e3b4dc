import express, { type Request, type Response, type RequestHandler, type Router } from 'express';
import type { Timers } from '../../../platform/clock/timers.ts';
import type { FaultRegistry, Fault } from '../state/fault-registry.ts';
import type { Journal } from '../state/journal.ts';
import type { BackgroundWork } from './background-work.ts';
import {
  fieldsOf,
  type Answer,
  type Call,
  type Collaborator,
  type Operation,
} from './collaborator.ts';
import { inOddState, leaveOut, withUnreadableRow } from './left-out.ts';
import { withOddRows } from './odd-rows.ts';
import { asPlainJson, toJsonText } from './wire-json.ts';

/** The parts of the sandbox that the calls of every collaborator share. */
interface CollaboratorDeps {
  readonly journal: Journal;
  readonly faults: FaultRegistry;
  readonly timers: Timers;
  readonly backgroundWork: BackgroundWork;
  /** Called when a collaborator's records may have changed. */
  readonly changed: () => void;
  /**
   * The wait of a caller at the faults `timeout` and `accept_then_timeout`, unless the fault has
   * its own.
   */
  readonly hangMs: number;
  /** True to add unrelated rows to lists. It is false in tests of the lists themselves. */
  readonly addsOddRows: boolean;
}

interface ServedCall {
  readonly collaborator: Collaborator;
  readonly operation: Operation;
  readonly call: Call;
  readonly fault: Fault | undefined;
  readonly seq: number;
  readonly req: Request;
  readonly res: Response;
  readonly deps: CollaboratorDeps;
}

const defaultSlowMs = 2000;
/** Ends a `hold` whose faults are never cleared. */
const longestHoldMs = 600_000;
const unreadableText = '{"unreadable": ';

/**
 * Leaves out the fields for which the service has a substitute if the answer is about a sparse
 * customer.
 */
const asSparse = (answer: Answer, operation: Operation, call: Call): Answer => {
  const spare = operation.shape?.spare;
  if (answer.status !== 200 || spare === undefined) return answer;
  const isSparse = operation.isSparse?.(call) === true;
  return isSparse ? { ...answer, body: leaveOut(answer.body, spare) } : answer;
};

/** Changes an answer as one of the faults `sparse`, `odd_state` and `odd_row`. */
const asOdd = ({ operation: { shape }, fault }: ServedCall, answer: Answer): Answer => {
  if (answer.status !== 200 || shape === undefined) return answer;
  const { spare = [], needed = [] } = shape;
  const { body } = answer;
  if (fault?.fault === 'sparse') {
    return { ...answer, body: leaveOut(body, [...spare, ...needed], fault.form) };
  }
  if (fault?.fault === 'odd_state') return { ...answer, body: inOddState(body, shape) };
  if (fault?.fault === 'odd_row') return { ...answer, body: withUnreadableRow(body, shape) };
  return answer;
};

const work = (served: ServedCall): Answer => {
  const { collaborator, operation, call, deps } = served;
  const whole = collaborator.refuseUnauthenticated(call) ?? operation.handle(call);
  deps.changed();
  const answer = asOdd(served, asSparse(whole, operation, call));
  if (!deps.addsOddRows || answer.status !== 200 || operation.oddRows === undefined) return answer;
  return { ...answer, body: withOddRows(answer.body, operation.oddRows, call) };
};

const send = ({ deps, seq, res }: ServedCall, answer: Answer): void => {
  deps.journal.complete(seq, answer.status, asPlainJson(answer.body) ?? '');
  if (res.destroyed || res.headersSent) return;
  res.status(answer.status);
  if (answer.body === undefined) res.end();
  else res.type('application/json').send(toJsonText(answer.body));
};

/** Gives the caller no answer, and cuts it off after the delay. */
const hang = async ({ deps, req, res }: ServedCall, delayMs: number): Promise<void> => {
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  await deps.timers.sleep(delayMs, AbortSignal.any([closed.signal, deps.backgroundWork.signal()]));
  req.socket.destroy();
};

const misstated = ({ operation }: ServedCall, answer: Answer): Answer => {
  if (answer.status !== 200 || operation.misstate === undefined) return answer;
  const misstate = (item: unknown): unknown => operation.misstate?.(fieldsOf(item));
  const { body } = answer;
  return { status: 200, body: Array.isArray(body) ? body.map(misstate) : misstate(body) };
};

const sendUnreadable = ({ deps, seq, res }: ServedCall, answer: Answer): void => {
  deps.journal.complete(seq, answer.status, unreadableText);
  res.status(answer.status).type('application/json').send(unreadableText);
};

/**
 * Does the work of a call and responds to it as its fault requires. The faults `error`, `timeout`
 * and `reset` do no work. `slow` works after its delay, and `hold` once the faults are cleared, even
 * if the caller has given up by then. The other faults work at once and change the response.
 */
const serveCall = async (served: ServedCall): Promise<void> => {
  const { collaborator, fault, deps, req, seq } = served;
  switch (fault?.fault) {
    case undefined:
      return send(served, work(served));
    case 'error': {
      const status = fault.status ?? 500;
      return send(served, { status, body: collaborator.errorBody(status, 'Injected failure') });
    }
    case 'timeout':
      return hang(served, fault.delayMs ?? deps.hangMs);
    case 'reset':
      req.socket.resetAndDestroy();
      return undefined;
    case 'slow':
    case 'hold': {
      const { timers, backgroundWork, faults } = deps;
      const ended = backgroundWork.signal();
      if (fault.fault === 'slow') await timers.sleep(fault.delayMs ?? defaultSlowMs, ended);
      else await timers.sleep(longestHoldMs, AbortSignal.any([ended, faults.untilCleared()]));
      if (ended.aborted) req.socket.destroy();
      else send(served, work(served));
      return undefined;
    }
    case 'accept_then_timeout': {
      const answer = work(served);
      deps.journal.complete(seq, answer.status, asPlainJson(answer.body) ?? '');
      return hang(served, fault.delayMs ?? deps.hangMs);
    }
    case 'malformed':
      return sendUnreadable(served, work(served));
    case 'wrong_amount':
      return send(served, misstated(served, work(served)));
    case 'sparse':
    case 'odd_state':
    case 'odd_row':
    case 'lost_webhook':
      return send(served, work(served));
  }
};

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
  (collaborator: Collaborator, operation: Operation, deps: CollaboratorDeps) =>
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
    const fault = deps.faults.take(collaborator.name, operation.name);
    const seq = deps.journal.open({
      collaborator: collaborator.name,
      operation: operation.name,
      method: req.method,
      path: recordedPath(req),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      body: recorded,
      ...(fault !== undefined && { fault: fault.fault }),
    });
    await serveCall({ collaborator, operation, call, fault, seq, req, res, deps });
  };

const unknownOperation = (collaborator: Collaborator): Operation => ({
  name: 'unknown',
  method: 'GET',
  path: '/',
  handle: () => ({ status: 404, body: collaborator.errorBody(404, 'There is no such path') }),
});

/** Serves a collaborator's operations. Each call is journalled and may meet a fault. */
export const collaboratorRouter = (collaborator: Collaborator, deps: CollaboratorDeps): Router => {
  const router = express.Router();
  router.use(express.raw({ type: () => true, limit: bodyLimitBytes }));
  for (const operation of collaborator.operations) {
    const work = serve(collaborator, operation, deps);
    const handler: RequestHandler = async (req, res, next) => {
      if (operation.isFor?.(req) === false) next();
      else await work(req, res);
    };
    if (operation.method === 'GET') router.get(operation.path, handler);
    else router.post(operation.path, handler);
  }
  router.use(serve(collaborator, unknownOperation(collaborator), deps));
  return router;
};
