import type { Timers } from '../../../platform/clock/timers.ts';
import type { FaultRegistry, Fault } from '../state/fault-registry.ts';
import type { Journal } from '../state/journal.ts';
import type { BackgroundWork } from './background-work.ts';
import type { Request, Response } from 'express';
import {
  fieldsOf,
  type Answer,
  type Call,
  type Collaborator,
  type Operation,
} from './collaborator.ts';
import { asPlainJson, toJsonText } from './wire-json.ts';

/** Gives the calls of a collaborator the shared parts of the sandbox. */
export interface CollaboratorContext {
  readonly journal: Journal;
  readonly faults: FaultRegistry;
  readonly timers: Timers;
  readonly backgroundWork: BackgroundWork;
  /** Called when a collaborator's records may have changed. */
  readonly changed: () => void;
  /** How long `timeout` and `accept_then_timeout` keep a caller waiting, unless they say so. */
  readonly hangMs: number;
}

interface Served {
  readonly collaborator: Collaborator;
  readonly operation: Operation;
  readonly call: Call;
  readonly fault: Fault | undefined;
  readonly seq: number;
  readonly req: Request;
  readonly res: Response;
  readonly context: CollaboratorContext;
}

const defaultSlowMs = 2000;
const unreadableText = '{"unreadable": ';

const work = ({ collaborator, operation, call, context }: Served): Answer => {
  const answer = collaborator.refuseUnauthenticated(call) ?? operation.handle(call);
  context.changed();
  return answer;
};

const send = ({ context, seq, res }: Served, answer: Answer): void => {
  context.journal.complete(seq, answer.status, asPlainJson(answer.body) ?? '');
  if (res.destroyed || res.headersSent) return;
  res.status(answer.status);
  if (answer.body === undefined) res.end();
  else res.type('application/json').send(toJsonText(answer.body));
};

/** Leaves the caller without an answer until it goes, or cuts it off. */
const hang = async ({ context, req, res }: Served, delayMs: number): Promise<void> => {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  await context.timers.sleep(
    delayMs,
    AbortSignal.any([gone.signal, context.backgroundWork.signal()]),
  );
  req.socket.destroy();
};

const misstated = ({ operation }: Served, answer: Answer): Answer => {
  if (answer.status !== 200 || operation.misstate === undefined) return answer;
  const misstate = (item: unknown): unknown => operation.misstate?.(fieldsOf(item));
  const { body } = answer;
  return { status: 200, body: Array.isArray(body) ? body.map(misstate) : misstate(body) };
};

const sendUnreadable = ({ context, seq, res }: Served, answer: Answer): void => {
  context.journal.complete(seq, answer.status, unreadableText);
  res.status(answer.status).type('application/json').send(unreadableText);
};

/**
 * Does the work of one call and responds to it as its fault requires: `error`, `timeout` and
 * `reset` do no work; `slow` works after its delay, so that a caller who gives up is behind work
 * that still happens; the others work at once and misreport.
 */
export const serveCall = async (served: Served): Promise<void> => {
  const { collaborator, fault, context, req, seq } = served;
  switch (fault?.fault) {
    case undefined:
      return send(served, work(served));
    case 'error': {
      const status = fault.status ?? 500;
      return send(served, { status, body: collaborator.errorBody(status, 'Injected failure') });
    }
    case 'timeout':
      return hang(served, fault.delayMs ?? context.hangMs);
    case 'reset':
      req.socket.resetAndDestroy();
      return undefined;
    case 'slow': {
      const { timers, backgroundWork } = context;
      const signal = backgroundWork.signal();
      await timers.sleep(fault.delayMs ?? defaultSlowMs, signal);
      if (signal.aborted) req.socket.destroy();
      else send(served, work(served));
      return undefined;
    }
    case 'accept_then_timeout': {
      const answer = work(served);
      context.journal.complete(seq, answer.status, asPlainJson(answer.body) ?? '');
      return hang(served, fault.delayMs ?? context.hangMs);
    }
    case 'malformed':
      return sendUnreadable(served, work(served));
    case 'wrong_amount':
      return send(served, misstated(served, work(served)));
  }
};
