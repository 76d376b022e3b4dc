import { defineConfig } from 'vitest/config';

/** The suites against small targets, by a real k6: without one they fail, and say so. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A test mostly waits for its window. Too many at once and the targets themselves are late.
    fileParallelism: false,
    maxConcurrency: 8,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
