import { lookup as lookUpByDns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import type { Timers } from '../../src/platform/clock/timers.ts';

interface DemoRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface DemoResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

/** The way to the APIs: straight, or by way of an ingress. */
export interface DemoNetwork {
  /** Rejects when no answer comes, as fetch does. */
  send(url: string, request: DemoRequest): Promise<DemoResponse>;
  /** Where a socket for `url` connects to, and the headers that tell for whom it is. */
  socketTo(url: string): { readonly url: string; readonly headers: Record<string, string> };
  close(): Promise<void>;
}

interface NetworkOptions {
  /** Hosts behind an ingress, each with its address; any other host is what DNS says. */
  readonly resolve: Readonly<Record<string, string>>;
  readonly timers: Timers;
}

const timeoutMs = 20_000;
const mostWaits = 3;

const refusalWire = z.object({ error: z.object({ code: z.literal('RATE_LIMITED') }) });

/** Seconds to wait, where the answer says that it came too soon for the rate limit. */
const secondsToWait = ({ status, headers, text }: DemoResponse): number | undefined => {
  if (status !== 429 || !refusalWire.safeParse(JSON.parse(text)).success) return undefined;
  return Number(headers.get('retry-after') ?? '1');
};

/**
 * The network of one run of the story. At an ingress the `x-forwarded-for` of a client counts for
 * nothing, so there all customers are one to the rate limit, and wait as it tells them to.
 */
export const createDemoNetwork = ({ resolve, timers }: NetworkOptions): DemoNetwork => {
  const lookup: LookupFunction = (host, options, done) => {
    lookUpByDns(resolve[host] ?? host, options, done);
  };
  const dispatcher = new Agent({ connect: { lookup } });

  const sendOnce = async (url: string, request: DemoRequest): Promise<DemoResponse> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...request, signal, dispatcher });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  return {
    async send(url, request) {
      const isBehindIngress = resolve[new URL(url).hostname] !== undefined;
      for (let waits = 0; ; waits += 1) {
        const response = await sendOnce(url, request);
        const seconds = isBehindIngress ? secondsToWait(response) : undefined;
        if (seconds === undefined || waits === mostWaits) return response;
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
