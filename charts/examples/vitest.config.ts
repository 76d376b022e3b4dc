import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The first import of a cloud's types takes seconds on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    restoreMocks: true,
  },
});
