import { ApiError } from '@digital-gold/client';
import type { DemoContext, IngressEndpoint } from './cluster.types.ts';
import { createIngressClient } from './tools/create-ingress-client.ts';

/** Reads the requests and seconds left in the window. Returns undefined if the header has none. */
const readWindow = (header: string | null): { left: number; seconds: number } | undefined => {
  const [, left, seconds] = /;\s*r=(\d+);\s*t=(\d+)/u.exec(header ?? '') ?? [];
  return left === undefined ? undefined : { left: Number(left), seconds: Number(seconds) };
};

/** Returns the seconds left of a window that has less than `needed`, or undefined of any other. */
const secondsToWait = async (
  endpoint: IngressEndpoint,
  needed: number,
): Promise<number | undefined> => {
  try {
    const { headers } = await createIngressClient(endpoint).get('/v1/price/current');
    const window = readWindow(headers.get('ratelimit'));
    return window !== undefined && window.left < needed ? window.seconds : undefined;
  } catch (error) {
    // Nothing is left at all.
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') return error.retryAfterSeconds;
    throw error;
  }
};

/**
 * Waits for a new window of the customer API's rate limit if fewer than `needed` requests are left
 * in this one. Through an ingress the whole demo is one client.
 */
export const waitForRateLimit = async (
  context: Pick<DemoContext, 'sleep'>,
  endpoint: IngressEndpoint,
  needed: number,
): Promise<void> => {
  const seconds = await secondsToWait(endpoint, needed);
  if (seconds !== undefined) await context.sleep(seconds * 1000 + 500);
};
