import { lookup as lookUpByDns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, fetch as fetchBy } from 'undici';
import { z } from 'zod';
import type { Timers } from '../../src/platform/clock/timers.ts';

/** The connection to the APIs, directly or through an ingress. */
export interface DemoNetwork {
  /**
   * Sends a request. Rejects if no answer comes, as the global fetch does. Each try has its own
   * time limit.
   */
  fetch(request: Request): Promise<Response>;
  /** Returns the address a socket for `url` connects to, and the headers that name its host. */
  socketTo(url: string): { readonly url: string; readonly headers: Record<string, string> };
  close(): Promise<void>;
}

interface NetworkOptions {
  /** Hosts behind an ingress, each with its address. Any other host is resolved by DNS. */
  readonly resolve: Readonly<Record<string, string>>;
  readonly timers: Timers;
}

const timeoutMs = 20_000;
const maxWaits = 3;

const refusalWire = z.object({ error: z.object({ code: z.literal('RATE_LIMITED') }) });

/** Returns the seconds to wait if the rate limit refused the request, undefined otherwise. */
const secondsToWait = async (response: Response): Promise<number | undefined> => {
  if (response.status !== 429) return undefined;
  const body: unknown = await response.clone().json();
  if (!refusalWire.safeParse(body).success) return undefined;
  return Number(response.headers.get('retry-after') ?? '1');
};

/**
 * Creates the network of a run of the story, which waits as long as a rate limit requires. An
 * ingress ignores a client's `x-forwarded-for`, so all customers share one limit there. Without an
 * ingress, an operator who polls on a busy machine may reach the limit too.
 */
export const createDemoNetwork = ({ resolve, timers }: NetworkOptions): DemoNetwork => {
  const lookup: LookupFunction = (host, options, done) => {
    lookUpByDns(resolve[host] ?? host, options, done);
  };
  const dispatcher = new Agent({ connect: { lookup } });

  const fetchOnce = async ({ url, method, headers }: Request, body: string): Promise<Response> => {
    const response = await fetchBy(url, {
      method,
      headers: Object.fromEntries(headers),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      dispatcher,
      ...(body !== '' && { body }),
    });
    const content = await response.arrayBuffer();
    return new Response(content.byteLength === 0 ? null : content, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
    });
  };

  return {
    async fetch(request) {
      const body = await request.text();
      for (let waits = 0; ; waits += 1) {
        const response = await fetchOnce(request, body);
        const seconds = await secondsToWait(response);
        if (seconds === undefined || waits === maxWaits) return response;
        await timers.sleep(seconds * 1000);
      }
    },
    socketTo(url) {
      const target = new URL(url);
      const { host } = target;
      const address = resolve[target.hostname];
      if (address === undefined) return { url, headers: {} };
      target.hostname = address;
      return { url: target.origin, headers: { host } };
    },
    close: () => dispatcher.close(),
  };
};
