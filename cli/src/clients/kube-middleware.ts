import type { Middleware } from '@kubernetes/client-node';
import { callTimeoutMs } from './kube-call.ts';

/** The name under which the cluster records goldctl's requests and changes. */
export const clientName = 'goldctl';

/** The methods whose fields get a manager. */
const noting: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Identifies the program to the cluster: in its audit log, and as the manager of each field that it
 * writes. Otherwise both would name the library's HTTP client.
 */
export const nameItself: Middleware = {
  pre: async (request) => {
    request.setHeaderParam('User-Agent', clientName);
    if (noting.has(request.getHttpMethod())) request.setQueryParam('fieldManager', clientName);
    return request;
  },
  post: async (response) => response,
};

/** Limits a call in time, as the library does not. */
export const timeLimit = (signal: AbortSignal): Middleware => ({
  pre: async (request) => {
    request.setSignal(AbortSignal.any([AbortSignal.timeout(callTimeoutMs), signal]));
    return request;
  },
  post: async (response) => response,
});
