import { expect } from 'vitest';
import type { CheckId } from '../../src/modules/reconciliation/index.ts';
import type { OpenBooks } from './open-books.ts';

/** Plants a fault, of which `plant` names the row, and answers the checks that found it. */
export type FoundBy = (
  plant: () => Promise<Readonly<Record<string, unknown>>>,
) => Promise<readonly CheckId[]>;

/**
 * One system's books for a file of tests: every fault is planted beside consistent data and the
 * faults before it. A check found it when its count rose, by one, with a sample of the row.
 */
export const createFoundBy = (books: OpenBooks): FoundBy => {
  const counts = new Map<CheckId, number>();
  return async (plant) => {
    const named = await plant();
    const checks = [...(await books.checks()).values()];
    expect(checks.filter(({ status }) => status === 'ERROR')).toEqual([]);
    const raised = checks.filter(({ id, count }) => count !== (counts.get(id) ?? 0));
    for (const { id, count, samples } of raised) {
      expect({ id, count }).toEqual({ id, count: (counts.get(id) ?? 0) + 1 });
      expect(samples).toContainEqual(expect.objectContaining(named));
      counts.set(id, count);
    }
    return raised.map(({ id }) => id);
  };
};
