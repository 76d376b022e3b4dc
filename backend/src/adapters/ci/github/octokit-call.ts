import { Octokit } from '@octokit/rest';
import type { HttpClient, HttpResponse } from '../../../platform/http-client/index.ts';
import type { Outcome } from '../../../platform/outcome/outcome.ts';

type Actions = Octokit['rest']['actions'];

interface Manner {
  /** The call's name in logs and metrics. */
  readonly operation: string;
  /** True for a call that may be repeated. */
  readonly safe: boolean;
}

/** The part of Octokit's `fetch` arguments that we read. */
interface OctokitRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the options to spread into one of Octokit's calls. */
interface Carried {
  readonly request: { readonly fetch: (url: string, made: OctokitRequest) => Promise<Response> };
}

/** Sends one of Octokit's calls. */
export type OctokitCall = (
  manner: Manner,
  ask: (actions: Actions, carried: Carried) => Promise<unknown>,
) => Promise<Outcome<HttpResponse>>;

const silent = (): void => {};

/**
 * Octokit writes the request (path, query, body, headers) and our own client sends it, with its
 * limits, circuit and metrics. The answer is kept from Octokit, which knows two outcomes and no
 * third, and would put addresses into its errors; nor is it given the token, which is the client's.
 */
export const createOctokitCall = (client: HttpClient, apiUrl: string): OctokitCall => {
  const octokit = new Octokit({
    baseUrl: apiUrl,
    userAgent: 'digital-gold-service',
    // Left out, it would write warnings to the console.
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  return async ({ operation, safe }, ask) => {
    const outcomes: Outcome<HttpResponse>[] = [];
    const fetch: Carried['request']['fetch'] = async (url, { method, headers, body }) => {
      const contentType = headers['content-type'] ?? 'application/json';
      const outcome = await client.request({
        operation,
        method,
        path: url.slice(apiUrl.length),
        headers,
        ...(body !== undefined && { body: { bytes: body, contentType } }),
        safe,
      });
      outcomes.push(outcome);
      return new Response(null, { status: 204 });
    };
    await ask(octokit.rest.actions, { request: { fetch } });
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error(`Octokit sent nothing for ${operation}`);
    return outcome;
  };
};
