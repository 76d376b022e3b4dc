import { once } from 'node:events';
import { createServer } from 'node:http';

/** The response of an API to every request. */
export interface StubResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is sent as JSON, a text as it is. */
  readonly body: unknown;
}

/** A server with a fixed response, or none, that records its requests. */
export interface StubApi {
  readonly url: string;
  /** `GET /v1/orders/1 Bearer x`, one for each request. */
  readonly requests: string[];
  /** The JSON that came with them, where some did. */
  readonly bodies: unknown[];
  answer(answer: StubResponse | 'nothing'): void;
  close(): void;
}

/** Starts one, for answers that a real stack can't be brought to give. */
export const openStubApi = async (): Promise<StubApi> => {
  const requests: string[] = [];
  const bodies: unknown[] = [];
  let next: StubResponse | 'nothing' = 'nothing';
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    requests.push(`${method} ${url} ${headers.authorization ?? ''}`.trim());
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      if (chunks.length > 0) bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    });
    if (next === 'nothing') return;
    const { status = 200, headers: more = {}, body } = next;
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  // An idle connection does not end under the request that is about to use it.
  server.keepAliveTimeout = 75_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    bodies,
    answer: (answer) => {
      next = answer;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
