import http from 'k6/http';
import { sleep } from 'k6';
import { forwardedFor } from '../../lib/client-addresses.ts';
import type { ApiName, Settings } from '../../lib/settings.ts';

/** A request of a journey, and the status that it must have. */
interface Call {
  readonly api: ApiName | 'sandbox';
  readonly method: 'GET' | 'POST';
  /** The path with `:id` in place of what differs: the name of its figures. */
  readonly route: string;
  readonly id?: string;
  readonly query?: string;
  readonly token?: string;
  readonly portalToken?: string;
  readonly body?: unknown;
  readonly status?: number;
}

/** A journey cannot continue: a response was unexpected, or an expected event never came. */
export class JourneyBroken extends Error {
  override name = 'JourneyBroken';
}

/** The JSON of an answer, as far as a journey reads it. */
export type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

export interface House {
  /** Returns the body. @throws JourneyBroken for another status. */
  readonly ask: (call: Call) => Json;
  /**
   * Retries until the condition holds.
   * @throws JourneyBroken after this many seconds.
   */
  readonly until: (call: Call, seconds: number, holds: (body: Json) => boolean) => Json;
}

interface HouseOptions {
  readonly settings: Pick<Settings, 'baseUrls' | 'sandboxUrl'>;
  /** The address of the client, which the played hop appends. */
  readonly address: string;
  readonly observe: (holds: boolean) => void;
}

/**
 * The seconds between two attempts, which grow, so that a journey that waits for a slow system does
 * not hit the rate limit.
 */
const looks = { first: 0.2, growth: 1.2, most: 3 };

const bodyOf = (text: unknown): Json => {
  if (typeof text !== 'string' || !text.startsWith('{')) return {};
  return JSON.parse(text) as Json; // an object
};

/** Opens the APIs to one client. */
export const openHouse = ({ settings, address, observe }: HouseOptions): House => {
  const urls = { ...settings.baseUrls, sandbox: settings.sandboxUrl };
  const ask = (call: Call): Json => {
    const {
      api,
      method,
      route,
      id = '',
      query = '',
      token,
      portalToken,
      body,
      status = 200,
    } = call;
    const url = `${urls[api]}${route.replace(':id', id)}${query}`;
    const response = http.request(method, url, body === undefined ? null : JSON.stringify(body), {
      headers: {
        ...forwardedFor(address),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(portalToken !== undefined && { 'x-portal-token': portalToken }),
      },
      responseType: 'text',
      redirects: 0,
      timeout: '30s',
      tags: { name: `${method} ${route}`, part: api === 'sandbox' ? 'sandbox' : 'house' },
    });
    observe(response.status === status);
    if (response.status === status) return bodyOf(response.body);
    const text = (response.body ?? '').slice(0, 200);
    throw new JourneyBroken(`${method} ${route}: ${response.status}, not ${status}: ${text}`);
  };
  return {
    ask,
    until(call, seconds, holds) {
      const deadline = Date.now() + seconds * 1000;
      for (let wait = looks.first; ; wait = Math.min(looks.most, wait * looks.growth)) {
        const body = ask(call);
        if (holds(body)) return body;
        if (Date.now() > deadline) {
          throw new JourneyBroken(`${call.method} ${call.route}: not after ${seconds} s`);
        }
        sleep(wait);
      }
    },
  };
};
