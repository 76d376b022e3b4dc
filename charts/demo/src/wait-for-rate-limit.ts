import type { ClusterWorld, IngressPlace } from './cluster.types.ts';
import { askAtAddress } from './tools/ask-at-address.ts';

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
  world: Pick<ClusterWorld, 'sleep'>,
  place: IngressPlace,
  needed: number,
): Promise<void> => {
  const path = '/v1/price/current';
  const { headers } = await askAtAddress({ ...place, path, timeoutMs: 15_000 });
  const window = readWindow(headers['ratelimit']);
  if (window !== undefined && window.left < needed) await world.sleep(window.seconds * 1000 + 500);
};
