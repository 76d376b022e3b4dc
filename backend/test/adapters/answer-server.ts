import { once } from 'node:events';
import { createServer } from 'node:http';

/** A collaborator's answer. Its status is 200 and its content type JSON by default. */
export interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A collaborator whose answers the test sets. It records the requests. */
export interface AnswerServer {
  readonly url: string;
  /** The requests since the last `answerWith`, as `GET /path?query`. */
  readonly asked: readonly string[];
  /** Sets the answers to all requests after this. */
  answerWith(answer: (request: string, body: string) => Answer): void;
  stop(): void;
}

const unset = (): Answer => ({ status: 500, body: '' });

/** Starts a server that answers 500 until a test sets an answer. It sends text unchanged. */
export const startAnswerServer = async (): Promise<AnswerServer> => {
  let answer: (request: string, body: string) => Answer = unset;
  let asked: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      const name = `${request.method} ${request.url}`;
      asked.push(name);
      const { status = 200, body, headers = {} } = answer(name, Buffer.concat(parts).toString());
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get asked() {
      return asked;
    },
    answerWith(next) {
      answer = next;
      asked = [];
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
};
