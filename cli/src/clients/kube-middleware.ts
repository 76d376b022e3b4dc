import type { Middleware } from '@kubernetes/client-node';
import { callTimeoutMs } from './kube-call.ts';

/** The name under which the cluster records goldctl's requests and changes. */
export const clientName = 'goldctl';

/** The methods that write fields, for which the cluster records a manager. */
const writingMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Identifies goldctl in the cluster's audit log, and as the manager of each field that it writes.
 * Otherwise both would name the library's HTTP client.
 */
export const identifyClient: Middleware = {
  pre: async (request) => {
    request.setHeaderParam('User-Agent', clientName);
    if (writingMethods.has(request.getHttpMethod())) {
      request.setQueryParam('fieldManager', clientName);
    }
    return request;
  },
  post: async (response) => response,
};

/** Limits the time of a call, since the library has no limit. */
export const timeLimit = (signal: AbortSignal): Middleware => ({
  pre: async (request) => {
    request.setSignal(AbortSignal.any([AbortSignal.timeout(callTimeoutMs), signal]));
    return request;
  },
  post: async (response) => response,
});
