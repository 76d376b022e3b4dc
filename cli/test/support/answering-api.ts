import { once } from 'node:events';
import { createServer } from 'node:http';

/** The response of an API to every request. */
export interface FixedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text as it is. */
  readonly body: unknown;
}

/** A server with a fixed response, or none, that records its requests. */
export interface AnsweringApi {
  readonly url: string;
  /** `GET /v1/orders/1 Bearer x`, one for each request. */
  readonly asked: string[];
  answer(answer: FixedAnswer | 'nothing'): void;
  close(): void;
}

/** Starts one; for answers that a real stack can't be brought to give. */
export const openAnsweringApi = async (): Promise<AnsweringApi> => {
  const asked: string[] = [];
  let next: FixedAnswer | 'nothing' = 'nothing';
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    asked.push(`${method} ${url} ${headers.authorization ?? ''}`.trim());
    if (next === 'nothing') return;
    const { status = 200, headers: more = {}, body } = next;
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    answer: (answer) => {
      next = answer;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
