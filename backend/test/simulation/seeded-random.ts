/** Decisions of a seed. The same seed makes the same decisions. */
export interface Decisions {
  /** Returns a whole number from 0 to less than `below`. */
  readonly int: (below: number) => number;
  /** Returns true in `chance` of 100 cases. */
  readonly percent: (chance: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T | undefined;
  /** Picks an item by weight, and never one with weight 0. */
  readonly weighted: <T>(items: readonly (readonly [weight: number, item: T])[]) => T | undefined;
}

/** Makes decisions from a seed with the generator mulberry32. */
export const createDecisions = (seed: number): Decisions => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    percent: (chance) => int(100) < chance,
    pick: (items) => items[int(Math.max(1, items.length))],
    weighted(items) {
      const total = items.reduce((sum, [weight]) => sum + weight, 0);
      let left = int(Math.max(1, total));
      for (const [weight, item] of items) {
        if (left < weight) return item;
        left -= weight;
      }
      return undefined;
    },
  };
};
