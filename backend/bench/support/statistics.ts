/** The value below which `share` (0 to 1) of the samples lie, or NaN of none. */
export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[place] ?? Number.NaN;
};

/** The middle sample, or the mean of the two middle ones where their number is even. */
export const median = (samples: readonly number[]): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
};

/**
 * The median of `of[i] / by[i]`: rounds that were run side by side are compared with each other,
 * so that what else the machine did at the time weighs on both.
 */
export const medianRatio = (of: readonly number[], by: readonly number[]): number =>
  median(of.map((value, round) => value / (by[round] ?? Number.NaN)));
