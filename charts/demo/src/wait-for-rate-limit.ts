import type { DemoContext, IngressEndpoint } from './cluster.types.ts';
import { sendRequest } from './tools/send-request.ts';

/** Reads the requests and seconds left in the window; undefined where the header has none. */
const readWindow = (header: unknown): { left: number; seconds: number } | undefined => {
  const [, left, seconds] = /;\s*r=(\d+);\s*t=(\d+)/u.exec(String(header)) ?? [];
  return left === undefined ? undefined : { left: Number(left), seconds: Number(seconds) };
};

/**
 * Waits for a new window of the customer API's rate limit where this one has less left than
 * `needed`: by an ingress all of the demo is one client.
 */
export const waitForRateLimit = async (
  context: Pick<DemoContext, 'sleep'>,
  endpoint: IngressEndpoint,
  needed: number,
): Promise<void> => {
  const path = '/v1/price/current';
  const { headers } = await sendRequest({ ...endpoint, path, timeoutMs: 15_000 });
  const window = readWindow(headers['ratelimit']);
  if (window !== undefined && window.left < needed)
    await context.sleep(window.seconds * 1000 + 500);
};
