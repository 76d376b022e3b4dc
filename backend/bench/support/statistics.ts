/** Returns the value below which `share` (0 to 1) of the samples lie, or NaN without samples. */
export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[place] ?? Number.NaN;
};

/** Returns the middle sample, or the mean of the two middle ones if their number is even. */
export const median = (samples: readonly number[]): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
};

/**
 * Returns the median of `of[i] / by[i]`. It compares rounds that were run side by side, so that
 * other load on the machine affects both.
 */
export const medianRatio = (of: readonly number[], by: readonly number[]): number =>
  median(of.map((value, round) => value / (by[round] ?? Number.NaN)));
