import { z } from 'zod';
import type { DemoNetwork, DemoResponse } from './demo-network.ts';
import { StepFailure } from './step-failure.ts';

interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

interface Answer<T> {
  readonly status: number;
  readonly headers: DemoResponse['headers'];
  readonly body: T;
}

/** One client of one API. Whatever comes out other than expected is a StepFailure. */
export interface DemoClient {
  /** A success, its body read with `read`; 200 unless `status` says otherwise. */
  ask<S extends z.ZodType>(
    ask: Ask & { readonly read: S; readonly status?: number },
  ): Promise<Answer<z.output<S>>>;
  /** A refusal with this status and code. */
  refused(ask: Ask & { readonly status: number; readonly code: string }): Promise<void>;
  /** The same client with further headers. */
  with(headers: Readonly<Record<string, string>>): DemoClient;
}

const envelope = z.object({
  error: z.object({ code: z.string(), message: z.string(), requestId: z.string() }),
});

const parseJson = (text: string): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** What an answer was, for people: the error's code, words and request id where it has them. */
const describe = (status: number, body: unknown): string => {
  const refusal = envelope.safeParse(body);
  if (!refusal.success) return String(status);
  const { code, message, requestId } = refusal.data.error;
  return `${status} ${code}: ${message} (request ${requestId})`;
};

/** Why a call got no answer; fetch itself only says that it failed. */
const whyNot = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.includes('ECONNREFUSED') ? `${text}; is the stack up? ("make up")` : text;
};

interface DemoClientOptions {
  readonly network: Pick<DemoNetwork, 'send'>;
  /** Address of the API. */
  readonly base: string;
  /** Sent with everything. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of one API. */
export const createDemoClient = (options: DemoClientOptions): DemoClient => {
  const { network, base, headers = {} } = options;
  const send = async ({ method, path, body }: Ask): Promise<Answer<unknown>> => {
    const request = {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await network.send(base + path, request).catch((error: unknown) => {
      throw new StepFailure(`${method} ${base}${path} got no answer: ${whyNot(error)}`);
    });
    return { ...response, body: parseJson(response.text) };
  };

  return {
    async ask({ read, status = 200, ...ask }) {
      const answer = await send(ask);
      const what = `${ask.method} ${ask.path} answered`;
      if (answer.status !== status) {
        const got = describe(answer.status, answer.body);
        throw new StepFailure(`${what} ${got}; the story expects ${status}`);
      }
      const parsed = read.safeParse(answer.body);
      if (parsed.success) return { ...answer, body: parsed.data };
      throw new StepFailure(`${what} something else: ${z.prettifyError(parsed.error)}`);
    },
    async refused({ status, code, ...ask }) {
      const answer = await send(ask);
      const refusal = envelope.safeParse(answer.body);
      if (answer.status === status && refusal.data?.error.code === code) return;
      const got = describe(answer.status, answer.body);
      const what = `${ask.method} ${ask.path} answered ${got}`;
      throw new StepFailure(`${what}; the story expects ${status} ${code}`);
    },
    with: (more) => createDemoClient({ network, base, headers: { ...headers, ...more } }),
  };
};
