const firstMs = 5000;
export const longestRetryMs = 15 * 60_000;

/** How long an event waits after its `attempts`th failed try: doubling from 5 s up to 15 min. */
export const retryDelayMs = (attempts: number): number =>
  Math.min(longestRetryMs, firstMs * 2 ** Math.min(attempts - 1, 20));
