import { request, type Agent } from 'node:http';

export interface Question {
  readonly address: string;
  readonly port: number;
  /** The host that the request is for, whatever the address is. */
  readonly host: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Without one, a connection of its own. */
  readonly agent?: Agent;
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Asks by HTTP at an address that need not be the host's. Rejects when no whole answer comes. */
export const askAtAddress = (question: Question): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { address, port, host, path, method = 'GET', headers = {}, body, agent } = question;
    const outgoing = request({
      host: address,
      port,
      path,
      method,
      agent: agent ?? false,
      headers: { ...headers, host },
      signal: AbortSignal.timeout(question.timeoutMs),
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    outgoing.end(body);
  });
