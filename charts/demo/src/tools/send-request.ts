import { request, type Agent } from 'node:http';

export interface HttpRequest {
  readonly address: string;
  readonly port: number;
  /** The host that the request is for, whatever the address is. */
  readonly host: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** If it is missing, the request has a new connection. */
  readonly agent?: Agent;
  readonly timeoutMs: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Sends a request to an address that need not be the host's. Rejects when no whole response comes.
 */
export const sendRequest = (given: HttpRequest): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { address, port, host, path, method = 'GET', headers = {}, body, agent } = given;
    const outgoing = request({
      host: address,
      port,
      path,
      method,
      agent: agent ?? false,
      headers: { ...headers, host },
      signal: AbortSignal.timeout(given.timeoutMs),
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
