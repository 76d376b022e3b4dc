import { createSemaphore, type Semaphore } from './semaphore.ts';

/** Thrown if no place of a key became free in time. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
}

interface TurnsOptions {
  /** The pieces of work of one key that run at a time. */
  readonly places: number;
  /** The longest wait for a place, in real milliseconds. */
  readonly waitMs: number;
  readonly onRefused?: () => void;
}

/** Serialises the work of each key. Work of different keys does not wait. */
export interface Turns {
  /** @throws NoTurnError when no place became free in time, and `work` was not run */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Creates turns that run `places` pieces of work at a time for each key. */
export const createTurns = ({ places, waitMs, onRefused }: TurnsOptions): Turns => {
  const queues = new Map<string, { readonly semaphore: Semaphore; users: number }>();
  return {
    async run(key, work) {
      const queue = queues.get(key) ?? { semaphore: createSemaphore(places), users: 0 };
      queues.set(key, queue);
      queue.users += 1;
      const isFree = queue.users <= places;
      const patience = isFree ? undefined : AbortSignal.timeout(waitMs);
      try {
        return await queue.semaphore.run(work, patience);
      } catch (error) {
        if (patience === undefined || error !== patience.reason) throw error;
        onRefused?.();
        throw new NoTurnError('no turn in time', { cause: error });
      } finally {
        queue.users -= 1;
        if (queue.users === 0) queues.delete(key);
      }
    },
  };
};
