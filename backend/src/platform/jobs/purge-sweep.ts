import type { Metrics } from '../observability/metrics.ts';
import type { Sweep } from './sweep.ts';

/** Rows of one kind that are deleted once nothing needs them (contract: limits > Retention). */
export interface Purge {
  /** In kebab-case, from `purge-`; the name of its sweep. */
  readonly name: string;
  /** Deletes at most `limit` rows in one statement, and returns how many. */
  readonly deleteBatch: (limit: number) => Promise<number>;
}

export interface PurgeSweepOptions extends Purge {
  /** Real milliseconds between two passes. */
  readonly everyMs: number;
  readonly metrics: Pick<Metrics, 'countPurged'>;
  readonly batchSize?: number;
}

/** Creates the sweep of a purge: batch after batch, so that no statement runs long. */
export const createPurgeSweep = (options: PurgeSweepOptions): Sweep => {
  const { name, everyMs, deleteBatch, metrics, batchSize = 2000 } = options;
  return {
    name,
    everyMs,
    async run(signal) {
      while (!signal.aborted) {
        const count = await deleteBatch(batchSize);
        if (count > 0) metrics.countPurged(name, count);
        if (count < batchSize) return;
      }
    },
  };
};
